/*
 * The interface to telephony providers. A carrier converts speech to text and back, so the service only exchanges
 * text. It maps to text protocols such as Twilio's ConversationRelay: `prompt` is `said`, `text` is `say`, `end` is
 * `hangUp`.
 */

/** A call to place. */
export interface OutgoingCall {
  /** E.164; if empty, the carrier uses its own number. */
  from: string;
  /** E.164. */
  to: string;
  /** Ringing time in seconds. */
  ringingTime: number;
  /** Whether to record the call. */
  record: boolean;
  /** Spoken language, a two-letter code (ISO 639-1). */
  language: string;
  /** 0.7 to 1.2; 1 is normal. */
  speechSpeed: number;
}

/** Who answered, as detected by the carrier. */
export type AnsweredBy = 'human' | 'machine' | 'unknown';

/** The events of a line, in order. `unreached` and `hung-up` are final. */
export type LineEvent =
  | { type: 'ringing' }
  | { type: 'answered'; by: AnsweredBy }
  /** Nobody answered. `failed` means that the number could not be dialed. */
  | { type: 'unreached'; reason: 'busy' | 'no-answer' | 'failed' }
  /** The customer said something; `seconds` is its duration. */
  | { type: 'said'; text: string; seconds: number }
  /** The customer hung up. */
  | { type: 'hung-up' };

/** A placed call. The carrier hangs up if it loses the connection to the service. */
export interface Line {
  /** Seconds since the call was placed. */
  readonly now: number;
  /** Returns the next event, or undefined if there is none within `seconds`. */
  next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined>;
  /** Speaks the text, cut off after `seconds`; resolves when it has been spoken. */
  say(text: string, seconds: number, signal: AbortSignal): Promise<void>;
  /** Connects the customer to another number and leaves the call. */
  transfer(to: string): Promise<void>;
  /** Ends the call; does nothing if it has ended. */
  hangUp(): Promise<void>;
}

/** Places calls. */
export interface Carrier {
  /** Starts a call; its line reports the progress. */
  place(call: OutgoingCall): Promise<Line>;
  /**
   * Removes a Caller ID number from the carrier; does nothing if the carrier does not know it. Retried if it fails.
   */
  release?(callerId: string): Promise<void>;
}
