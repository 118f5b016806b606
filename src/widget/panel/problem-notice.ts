import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Problem } from '../conversation/problem.ts';
import { isUnsent, type Message } from '../conversation/snapshot.ts';
import { fill } from '../texts/texts.ts';
import { explain } from './explain.ts';
import type { PanelModel } from './panel-model.ts';
import problemNoticeCss from './problem-notice.css?inline';
import typingCss from './typing.css?inline';

/** It comes when the visitor begins to write: in time for the sign that an answer is being written. */
export const css = problemNoticeCss + typingCss;

/**
 * What went wrong and what to do next, where it happened. Read out when it appears.
 *
 * @param message the message that failed; undefined when it is the conversation as a whole
 */
export function problemNotice(model: PanelModel, problem: Problem, message?: Message): TemplateResult {
  const { locale, actions, now, snapshot } = model;
  const texts = locale.texts;
  const { title, advice, action, kept } = explain(problem, texts);
  const { code } = problem;
  // At opening there may be no message to speak of.
  const waits = message ?? snapshot.messages.some(isUnsent);
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
      <strong><bdi>${title}</bdi></strong> ${advice} ${waits ? kept : nothing}
      ${code === 'insufficient-balance' ? html`<p class="state"><bdi>${problem.message}</bdi></p>` : nothing}
    </div>
    ${seconds > 0 ? html`<p class="countdown">${fill(texts.retryIn, { seconds })}</p>` : button}
    ${
      message && !message.fateUnknown
        ? html`<button type="button" part="edit-button" @click=${edit}>${texts.edit}</button>`
        : nothing
    }
  </div>`;
}
