import type { CallStatus, EndReason } from '../../contract/call.ts';
import { answeredCallStatuses } from '../../contract/call.ts';

/** The part of a campaign's call that determines its outcome. */
export interface EndedCampaignCall {
  status: CallStatus;
  endReason: string | null;
  answeredBy: string;
  /** The variables that the evaluation extracted. */
  variables: Readonly<Record<string, unknown>>;
  /** Whether anything was said. */
  hasTranscript: boolean;
  /** Whether the customer said anything. */
  customerSpoke: boolean;
  /** Whether the evaluation is complete, disabled or overdue. */
  isEvaluated: boolean;
}

/** The settings of a campaign that determine whether a lead is called again. */
export interface RetryRules {
  retryOnVoicemail: boolean;
  retryOnGoalIncomplete: boolean;
  goalCompletionVariable: string | null;
}

/**
 * The outcome of a call for its lead: `reached` completes the lead, `missed` schedules the next contact or retry,
 * `not-counted` repeats the call without counting a try, `fault` does so after the retry interval, `pending` waits
 * for the evaluation, and `opted-out` blocks the number.
 */
export type CallOutcome = 'reached' | 'missed' | 'not-counted' | 'fault' | 'pending' | 'opted-out';

/** The variable of `post_call_schema` that reports a request not to be called again. */
export const optOutVariable = 'do_not_call';

/** Reasons of calls that never reached the customer, and so do not count as tries. */
const notCounted: readonly (string | null)[] = [
  'carrier-account',
  'no-assistant',
  'no-caller-id',
  'not-started',
];

/** Reasons of calls that ended by a fault of the service or of the carrier. */
export const faultReasons: readonly EndReason[] = ['carrier-error', 'cut-off', 'service-stopped'];

/** Determines the outcome of an ended call for its lead. */
export function classifyCall(call: EndedCampaignCall, rules: RetryRules): CallOutcome {
  if (notCounted.includes(call.endReason)) return 'not-counted';
  if ((faultReasons as readonly unknown[]).includes(call.endReason) && !call.customerSpoke) return 'fault';
  if (call.endReason === 'balance') return call.hasTranscript ? 'missed' : 'not-counted';
  if (!(answeredCallStatuses as readonly CallStatus[]).includes(call.status)) return 'missed';
  if (call.answeredBy === 'machine') return rules.retryOnVoicemail ? 'missed' : 'reached';
  if (isTrue(call.variables[optOutVariable])) return 'opted-out';
  const { goalCompletionVariable: goal, retryOnGoalIncomplete } = rules;
  if (!retryOnGoalIncomplete || goal === null) return 'reached';
  if (!call.isEvaluated) return 'pending';
  return isTrue(call.variables[goal]) ? 'reached' : 'missed';
}

/** Whether an extracted value means yes: anything except empty, no, none, null, false and zero. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return !/^\s*(|false|no|0|null|none)\s*$/i.test(value);
  return Boolean(value);
}
