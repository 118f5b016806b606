import type { Problem, ProblemCode } from '../conversation/problem.ts';
import type { Texts } from '../texts/texts.ts';

type TextKey = Exclude<keyof Texts, 'unread'>;

/** A problem as shown to visitors. */
export interface Explanation {
  /** Our title for the code; undefined if the service's message is the title. */
  readonly title: string | undefined;
  /** The next step, if the button alone does not explain it. */
  readonly advice: string | undefined;
  readonly action: 'retry' | 'start-over' | undefined;
  /** The text about unsent messages. Shown if there are any. */
  readonly unsent: string | undefined;
}

/** For each code: our title, if it replaces the service's message; advice; action; the text about unsent messages. */
const explanations: Readonly<
  Record<
    ProblemCode,
    readonly [
      title: TextKey | undefined,
      advice: TextKey | undefined,
      action: Explanation['action'],
      unsent?: TextKey,
    ]
  >
> = {
  'assistant-not-found': [undefined, 'assistantAdvice', 'retry'],
  'conversation-not-found': [undefined, 'conversationAdvice', 'start-over'],
  'conversation-ended': ['ended', undefined, 'start-over'],
  'insufficient-balance': ['balanceAdvice', undefined, 'retry', 'saved'],
  'limit-reached': ['limit', undefined, 'retry', 'saved'],
  'origin-not-allowed': ['assistantMissing', undefined, undefined],
  'user-token-required': ['signIn', undefined, 'retry', 'saved'],
  'user-token-expired': ['signIn', undefined, 'retry', 'saved'],
  'user-token-invalid': ['signIn', undefined, 'retry', 'saved'],
  'invalid-request': [undefined, 'refusedAdvice', undefined],
  'too-many-requests': ['tooManyMessages', undefined, 'retry', 'saved'],
  'engine-failed': ['unavailable', undefined, 'retry'],
  unavailable: ['unavailable', undefined, 'retry'],
  refused: ['unavailable', undefined, 'retry'],
  network: ['network', 'networkAdvice', 'retry'],
  offline: ['offline', undefined, 'retry', 'offlineAdvice'],
  aborted: ['network', 'networkAdvice', 'retry'],
  timeout: ['timeout', 'timeoutAdvice', 'retry'],
  'bad-response': ['unreadable', 'unreadableAdvice', 'retry'],
  'response-too-large': ['unreadable', 'unreadableAdvice', 'retry'],
  'assistant-id-missing': ['assistantMissing', 'assistantAdvice', undefined],
  'assistant-id-malformed': [undefined, 'assistantAdvice', undefined],
  'base-url-missing': [undefined, undefined, undefined],
};

export function explainProblem(problem: Problem, texts: Texts): Explanation {
  const [title, advice, action, unsent] = explanations[problem.code];
  return {
    title: title && texts[title],
    advice: advice && texts[advice],
    action,
    unsent: unsent && texts[unsent],
  };
}
