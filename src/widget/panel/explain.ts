import type { Problem, ProblemCode } from '../conversation/problem.ts';
import type { Texts } from '../texts/texts.ts';

type TextKey = Exclude<keyof Texts, 'unread'>;

/** A problem as a visitor reads it. */
export interface Explanation {
  /** The service's own words where it gave any, else ours. */
  readonly title: string;
  /** What to do next, where the action does not say it all. */
  readonly advice: string | undefined;
  readonly action: 'retry' | 'start-over' | undefined;
  /** What becomes of a message that waits, if there is one. */
  readonly kept: string | undefined;
}

/** Which text says what happened, if the service did not, and which says what to do. */
const explanations: Readonly<
  Record<
    ProblemCode,
    readonly [
      title: TextKey | undefined,
      advice: TextKey | undefined,
      action: Explanation['action'],
      kept?: TextKey,
    ]
  >
> = {
  'assistant-not-found': [undefined, 'assistantAdvice', 'retry'],
  'conversation-not-found': [undefined, 'conversationAdvice', 'start-over'],
  'conversation-ended': ['ended', undefined, 'start-over'],
  'insufficient-balance': ['balanceAdvice', undefined, 'retry', 'kept'],
  'invalid-request': [undefined, 'refusedAdvice', undefined],
  'too-many-requests': [undefined, 'waitAdvice', 'retry', 'kept'],
  'engine-failed': [undefined, 'engineAdvice', 'retry'],
  unavailable: [undefined, 'unavailableAdvice', 'retry'],
  refused: [undefined, 'unavailableAdvice', 'retry'],
  network: ['network', 'networkAdvice', 'retry'],
  offline: ['offline', undefined, 'retry', 'offlineAdvice'],
  aborted: ['network', 'networkAdvice', 'retry'],
  timeout: ['timeout', 'timeoutAdvice', 'retry'],
  'bad-response': ['nonsense', 'nonsenseAdvice', 'retry'],
  'response-too-large': ['nonsense', 'nonsenseAdvice', 'retry'],
  'assistant-id-missing': ['assistantMissing', 'assistantAdvice', undefined],
  'assistant-id-malformed': [undefined, 'assistantAdvice', undefined],
};

export function explain(problem: Problem, texts: Texts): Explanation {
  const [title, advice, action, kept] = explanations[problem.code];
  return {
    title: title === undefined ? problem.message : texts[title],
    advice: advice && texts[advice],
    action,
    kept: kept && texts[kept],
  };
}
