import type { CallStatus } from '../../contract/call.ts';
import { answeredCallStatuses } from '../../contract/call.ts';

/** What of a campaign's call and its rules says what comes next. */
export interface JudgedCall {
  status: CallStatus;
  endReason: string | null;
  answeredBy: string;
  /** What was found out. */
  variables: Readonly<Record<string, unknown>>;
  /** Whether anything was said. */
  wasTalkedTo: boolean;
  /** Whether what there is to find out has been found out, or nobody is looking any more. */
  isEvaluated: boolean;
}

export interface GoalRules {
  retryOnVoicemail: boolean;
  retryOnGoalIncomplete: boolean;
  goalCompletionVariable: string | null;
}

/**
 * What a call has come to: `reached` ends the lead, `missed` has the next contact or round tried, `again` does not
 * count, and `open` has to wait for the evaluation.
 */
export type Verdict = 'reached' | 'missed' | 'again' | 'open' | 'objected';

/** The variable of `post_call_schema` by which an evaluation says that somebody does not want to be called again. */
export const objectionVariable = 'do_not_call';

export function judgeCall(call: JudgedCall, rules: GoalRules): Verdict {
  // Nobody was even called, or talked to before the balance was used up; the lead is to lose nothing by that.
  if (call.endReason === 'not-begun' || call.endReason === 'no-assistant') return 'again';
  if (call.endReason === 'balance') return call.wasTalkedTo ? 'missed' : 'again';
  if (!(answeredCallStatuses as readonly CallStatus[]).includes(call.status)) return 'missed';
  if (call.answeredBy === 'machine') return rules.retryOnVoicemail ? 'missed' : 'reached';
  if (isTrue(call.variables[objectionVariable])) return 'objected';
  const { goalCompletionVariable: goal, retryOnGoalIncomplete } = rules;
  if (!retryOnGoalIncomplete || goal === null) return 'reached';
  if (!call.isEvaluated) return 'open';
  return isTrue(call.variables[goal]) ? 'reached' : 'missed';
}

/** A goal is complete when its variable holds anything but no, nothing or zero. */
export function isTrue(value: unknown): boolean {
  if (typeof value === 'string') return !/^\s*(|false|no|0|null|none)\s*$/i.test(value);
  return Boolean(value);
}
