import type { CallStatus } from '../../contract/call.ts';
import type { CallMessage } from '../db/calls-table.ts';
import type { StoredFunctionCall } from '../db/schema.ts';

/** An assistant's settings for calls. Durations are in seconds; variables have been filled in. */
export interface CallSettings {
  initialMessage: string;
  waitForCustomer: boolean;
  maxDuration: number;
  maxSilence: number;
  /** Applies until the customer speaks; null means `maxSilence`. */
  maxInitialSilence: number | null;
  reengagementInterval: number;
  endCallOnVoicemail: boolean;
  voiceMailMessage: string;
  /** Said while the model has not begun to answer; empty for none. */
  fillers: readonly string[];
}

/** A part of a reply, in order. */
export type ReplyPart = { type: 'text'; text: string } | { type: 'function_call'; call: StoredFunctionCall };

/** Why the assistant speaks although the customer has said nothing. */
export type Occasion =
  | 'silence'
  /** The number that the customer was transferred to did not answer. */
  | 'transfer-unanswered'
  /** The connection was lost for a moment. */
  | 'reconnected';

/** Generates the assistant's replies, part by part. */
export interface Speaker {
  /** @param before the transcript before `said`. */
  answer(said: string, before: readonly CallMessage[], signal: AbortSignal): AsyncIterable<ReplyPart>;
  speakUp(occasion: Occasion, before: readonly CallMessage[], signal: AbortSignal): AsyncIterable<ReplyPart>;
}

/** Stores the progress of a call. */
export interface CallLog {
  saveLines(lines: readonly CallMessage[]): Promise<void>;
  /** Charges for a started minute, counted from 1. Resolves to false if the balance is too low. */
  chargeMinute(minute: number): Promise<boolean>;
  /**
   * Gives the call up, so that another process can continue it: after a transfer, or after its connection was lost.
   *
   * @param duration seconds until now.
   */
  release(duration: number, transferTo?: string): Promise<void>;
}

/** What an earlier line of the same call has left. */
export interface EarlierPart {
  lines: readonly CallMessage[];
  /** Seconds since the call was answered. */
  elapsed: number;
  chargedMinutes: number;
  occasion: Occasion;
}

/** The result of a call. */
export interface CallResult {
  status: CallStatus;
  /** For diagnosis; stored with the call. */
  reason: string;
  /** Seconds since the call was answered, rounded up. */
  duration: number;
  lines: readonly CallMessage[];
}
