/*
 * How a call reaches a phone. A carrier turns speech into text and back, so the service deals in text turns alone:
 * narrow enough for a telephony provider's text protocol (Twilio's ConversationRelay: `prompt` is `said`, `text` is
 * `say`, `end` is `hangUp`) to fit behind it.
 */

/** A call that is to be made. */
export interface OutgoingCall {
  /** E.164; empty if the assistant has no number, and then the carrier's own. */
  from: string;
  /** E.164. */
  to: string;
  /** Seconds for which it may ring. */
  ringingTime: number;
  /** Whether the carrier is to know that the call is recorded. */
  record: boolean;
  /** Two-letter code (ISO 639-1) of what is spoken. */
  language: string;
  /** 0.7 to 1.2; 1 is normal. */
  speechSpeed: number;
}

/** Who has answered, as far as the carrier can tell. */
export type AnsweredBy = 'human' | 'machine' | 'unknown';

/** What happens on a line, in order. `unreached` and `hung-up` are the last. */
export type LineEvent =
  | { type: 'ringing' }
  | { type: 'answered'; by: AnsweredBy }
  /** Nobody answered. `failed`: the number could not be called at all. */
  | { type: 'unreached'; reason: 'busy' | 'no-answer' | 'failed' }
  /** The customer has said something, which took so many seconds. */
  | { type: 'said'; text: string; seconds: number }
  /** The customer has hung up. */
  | { type: 'hung-up' };

/** One call. A carrier that loses its service's connection hangs up by itself. */
export interface Line {
  /** Seconds since the call was placed. */
  readonly now: number;
  /** What happens next, or undefined when nothing does for so many seconds. */
  next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined>;
  /** Says something, or as much of it as goes into so many seconds; resolves when it has been said. */
  say(text: string, seconds: number, signal: AbortSignal): Promise<void>;
  /** Connects the customer to another number and leaves the line. */
  transfer(to: string): Promise<void>;
  /** Ends the call. Also right when it has ended already. */
  hangUp(): Promise<void>;
}

/** Places calls. */
export interface Carrier {
  /** Begins a call; what becomes of it comes by way of its line. */
  place(call: OutgoingCall): Promise<Line>;
  /**
   * Forgets a Caller ID number, for carriers that must know whose it is. Also right when it is not known; asked for
   * again when it fails.
   */
  release?(callerId: string): Promise<void>;
}
