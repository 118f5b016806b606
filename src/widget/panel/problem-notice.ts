import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Problem, ProblemCode } from '../conversation/problem.ts';
import type { Message } from '../conversation/snapshot.ts';
import { fill, type Texts } from '../texts/texts.ts';
import type { PanelActions } from './panel-actions.ts';
import problemNoticeCss from './problem-notice.css?inline';
import typingCss from './typing.css?inline';

/** The typing indicator's styles are here because this module loads when the visitor begins to write. */
export const css = problemNoticeCss + typingCss;

type TextKey = Exclude<keyof Texts, 'unread'>;

/**
 * For each code: our title, if it replaces the service's message; the next step, if the button alone does not explain it;
 * the button; the text about unsent messages, shown if there are any.
 */
const explanations: Readonly<
  Record<
    ProblemCode,
    readonly [
      title: TextKey | undefined,
      advice: TextKey | undefined,
      action: 'retry' | 'start-over' | undefined,
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

/**
 * An error and its next step, shown where it happened and announced when it appears.
 *
 * @param message the message that failed; undefined if the conversation as a whole failed
 */
export function problemNotice(
  problem: Problem,
  message: Message | undefined,
  {
    texts,
    now,
    actions,
    hasUnsent,
  }: {
    readonly texts: Texts;
    /** Milliseconds since 1970, for the countdown. */
    readonly now: number;
    readonly actions: Pick<PanelActions, 'retry' | 'edit' | 'startOver'>;
    /** Whether the visitor has unsent messages. */
    readonly hasUnsent: boolean;
  },
): TemplateResult {
  const { code } = problem;
  const [title, advice, action, unsent] = explanations[code];
  const detail = detailOf(problem);
  const seconds = Math.ceil(((problem.retryAt ?? now) - now) / 1000);
  const retry = (): void => {
    actions.retry(message?.key);
  };
  const edit = (): void => {
    if (message) actions.edit(message.key);
  };
  const button =
    action === 'retry' && !(message && code === 'offline')
      ? html`<button type="button" part="retry-button" @click=${retry}>${texts.retry}</button>`
      : action === 'start-over'
        ? html`<button type="button" part="retry-button" @click=${actions.startOver}>
            ${texts.startOver}
          </button>`
        : nothing;
  return html`<div part="problem" data-code=${code}>
    <div role="alert">
      <strong>${title ? texts[title] : inEnglish(problem.message)}</strong> ${advice && texts[advice]}
      ${hasUnsent && unsent ? texts[unsent] : nothing}
      ${detail ? html`<p class="state">${inEnglish(detail)}</p>` : nothing}
    </div>
    ${seconds > 0 ? html`<p class="state">${fill(texts.retryIn, { seconds })}</p>` : button}
    ${
      message && !message.outcomeUnknown
        ? html`<button type="button" part="edit-button" @click=${edit}>${texts.edit}</button>`
        : nothing
    }
  </div>`;
}

const withDetail: ReadonlySet<Problem['code']> = new Set<Problem['code']>([
  'insufficient-balance',
  'origin-not-allowed',
  'unavailable',
  'refused',
]);

/** The interface's messages are English in every language of the chat. */
function inEnglish(text: string): TemplateResult {
  return html`<bdi lang="en">${text}</bdi>`;
}

/** The service's message, if another title stands for it. Of a limit only its advice to the owner, if any. */
function detailOf({ code, message }: Problem): string {
  if (code === 'limit-reached') return message.replace(/^[^.]*\.\s*/, '');
  // Without the beginning that the interface prescribes, "Failed to process message:".
  if (code === 'engine-failed') return message.replace(/^[^:]*: /, '');
  return withDetail.has(code) ? message : '';
}
