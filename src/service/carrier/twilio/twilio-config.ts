/** The settings of the carrier Twilio. */
export interface TwilioConfig {
  accountSid: string;
  /** Signs the carrier's requests. */
  authToken: string;
  /** Credentials for requests to the carrier; by default the account's own. */
  apiKey: { sid: string; secret: string } | undefined;
  /** Address of the REST interface in place of the carrier's own, without a trailing slash. */
  apiUrl: string | undefined;
  /** Number for calls of assistants that have none. */
  phoneNumber: string | undefined;
  /** Calls that the account may start in a second. */
  callsPerSecond: number;
  /** Public address of this service, without a trailing slash. */
  publicUrl: string;
}
