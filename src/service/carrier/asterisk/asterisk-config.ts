/** The settings of the carrier Asterisk. */
export interface AsteriskConfig {
  /** Address of its HTTP server, without a trailing slash. */
  url: string;
  user: string;
  password: string;
  /** Dials a number: `{number}` is replaced. */
  endpoint: string;
  /** Name of the application that the dialplan passes inbound calls to. */
  application: string;
  /** Number for calls of assistants that have none. */
  phoneNumber: string | undefined;
}
