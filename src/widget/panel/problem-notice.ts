import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Problem } from '../conversation/problem.ts';
import type { Message } from '../conversation/snapshot.ts';
import { fill, type Texts } from '../texts/texts.ts';
import { explainProblem } from './explain-problem.ts';
import type { PanelActions } from './panel-actions.ts';
import problemNoticeCss from './problem-notice.css?inline';
import typingCss from './typing.css?inline';

/** The typing indicator's styles are here because this module loads when the visitor begins to write. */
export const css = problemNoticeCss + typingCss;

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
  const { title, advice, action, unsent } = explainProblem(problem, texts);
  const { code } = problem;
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
      <strong>${title ?? inEnglish(problem.message)}</strong> ${advice} ${hasUnsent ? unsent : nothing}
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
  'engine-failed',
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
  return withDetail.has(code) ? message : '';
}
