import type { CallStatus } from '../../contract/call.ts';
import type { CallLine } from '../db/calls-table.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import type { AnsweredBy } from '../carrier/carrier.ts';

/** What an assistant's record says of its calls. Seconds; variables have been filled in. */
export interface CallSettings {
  initialMessage: string;
  waitForCustomer: boolean;
  maxDuration: number;
  maxSilence: number;
  /** Until the customer has first spoken; null: as later. */
  maxInitialSilence: number | null;
  reengagementInterval: number;
  endCallOnVoicemail: boolean;
  voiceMailMessage: string;
}

/** What an assistant says, and whether it hangs up or hands over afterwards. */
export interface SpokenReply {
  text: string;
  hangUp: boolean;
  transferTo?: string;
  functionCalls?: StoredFunctionCall[];
}

/** Who thinks of what to say. */
export interface Speaker {
  /** @param before what was said before that. */
  answer(said: string, before: readonly CallLine[], signal: AbortSignal): Promise<SpokenReply>;
  /** The customer has been silent for a while. */
  breakSilence(before: readonly CallLine[], signal: AbortSignal): Promise<SpokenReply>;
}

/** Where a call's progress is written down. */
export interface CallBook {
  ringing(): Promise<void>;
  answered(by: AnsweredBy): Promise<void>;
  note(lines: readonly CallLine[]): Promise<void>;
  /** Takes the price of a minute that has begun, the first being 1. False: the balance is too low. */
  payMinute(minute: number): Promise<boolean>;
}

/** What became of a call. */
export interface CallEnd {
  status: CallStatus;
  /** Why, for the log. */
  reason: string;
  answeredBy: AnsweredBy;
  /** Seconds since it was answered, begun ones included. */
  duration: number;
  lines: readonly CallLine[];
}
