/** The settings of the carrier Twilio. */
export interface TwilioConfig {
  accountSid: string;
  /** Signs the carrier's requests. */
  authToken: string;
  /** Credentials for requests to the carrier; the account's own by default. */
  apiKey: { sid: string; secret: string } | undefined;
  /** URL that replaces the carrier's REST API, without a trailing slash. */
  apiUrl: string | undefined;
  /** Number for calls of assistants without a number. */
  phoneNumber: string | undefined;
  /** Maximum number of calls that the account may start per second. */
  callsPerSecond: number;
  /** Public address of this service, without a trailing slash. */
  publicUrl: string;
}
