/** The settings of the carrier Asterisk. */
export interface AsteriskConfig {
  /** URL of Asterisk's HTTP server, without a trailing slash. */
  url: string;
  user: string;
  password: string;
  /** Dial string; `{number}` is replaced by the number. */
  endpoint: string;
  /** Name of the application that the dialplan passes inbound calls to. */
  application: string;
  /** Number for calls of assistants without a number. */
  phoneNumber: string | undefined;
}
