import type { CallStatus } from '../../contract/call.ts';
import type { CallMessage } from '../db/calls-table.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import type { AnsweredBy } from '../carrier/carrier.ts';

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
}

/** A reply of the assistant, and whether it then hangs up or transfers the call. */
export interface SpokenReply {
  text: string;
  hangUp: boolean;
  transferTo?: string;
  functionCalls?: StoredFunctionCall[];
}

/** Generates the assistant's replies. */
export interface Speaker {
  /** @param before the transcript before `said`. */
  answer(said: string, before: readonly CallMessage[], signal: AbortSignal): Promise<SpokenReply>;
  /** Generates a reply to the customer's silence. */
  reengage(before: readonly CallMessage[], signal: AbortSignal): Promise<SpokenReply>;
}

/** Stores the progress of a call. */
export interface CallLog {
  ringing(): Promise<void>;
  answered(by: AnsweredBy): Promise<void>;
  saveLines(lines: readonly CallMessage[]): Promise<void>;
  /** Charges for a started minute, counted from 1. Resolves to false if the balance is too low. */
  chargeMinute(minute: number): Promise<boolean>;
}

/** The result of a call. */
export interface CallResult {
  status: CallStatus;
  /** For diagnosis; stored with the call. */
  reason: string;
  answeredBy: AnsweredBy;
  /** Seconds since the call was answered, rounded up. */
  duration: number;
  lines: readonly CallMessage[];
}
