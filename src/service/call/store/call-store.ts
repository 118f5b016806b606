import type { CallStatus, EndReason } from '../../../contract/call.ts';
import type { StoredFillers } from '../../db/assistants-table.ts';
import type { CallMessage } from '../../db/calls-table.ts';
import { isSpeakable } from '../../voice/words.ts';
import type { TurnReason } from '../../voice/line.ts';

/** An assistant's settings for calls. Durations are in seconds; variables have been filled in. */
export interface CallSettings {
  initialMessage: string;
  /** Whether the customer has read the initial message. It is then not repeated if the customer speaks first. */
  isGreetingRead?: boolean;
  waitForCustomer: boolean;
  maxDuration: number;
  maxSilence: number;
  /** Applies until the customer speaks; null means `maxSilence`. */
  maxInitialSilence: number | null;
  reengagementInterval: number;
  endCallOnVoicemail: boolean;
  voiceMailMessage: string;
  /** Said while the model has not started to answer; undefined for none. */
  fillers?: StoredFillers | undefined;
}

/** Whether the customer has neither read nor heard the initial message. */
export const hasUnsaidGreeting = (
  { initialMessage, isGreetingRead = false }: CallSettings,
  messages: readonly CallMessage[],
): boolean =>
  !isGreetingRead && isSpeakable(initialMessage) && !messages.some(({ kind }) => kind === 'greeting');

/** Stores the progress of a call. */
export interface CallStore {
  /** @returns why the call has to end after these messages, as its `end_reason`; undefined if it continues. */
  saveMessages(messages: readonly CallMessage[]): Promise<EndReason | undefined>;
  /**
   * Charges for a started minute, counted from 1.
   *
   * @throws MustEndError if the balance is too low, or a limit of minutes is used up.
   */
  chargeMinute(minute: number): Promise<void>;
  /**
   * Releases the call, so that another process can continue it: after a transfer, or after a lost connection.
   *
   * @param duration seconds until now.
   */
  release(duration: number, transferTo?: string): Promise<void>;
}

/** The state that an earlier line of the same call left. */
export interface CallProgress {
  messages: readonly CallMessage[];
  /** Seconds since the call was answered. */
  elapsed: number;
  chargedMinutes: number;
  reason: TurnReason;
}

/** The result of a call. */
export interface CallResult {
  status: CallStatus;
  /** For diagnosis; stored with the call. */
  reason: EndReason;
  /** Seconds since the call was answered, rounded up. */
  duration: number;
  messages: readonly CallMessage[];
}

/** The end of the conversation on one line. `released` means that the call continues elsewhere. */
export type CallEnding = Pick<CallResult, 'status' | 'reason'> | 'released';
