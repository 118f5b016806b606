import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Problem } from '../state/problem.ts';
import { fill } from '../texts/texts.ts';
import { explain } from './explain.ts';
import type { PanelModel } from './panel-model.ts';

/**
 * What went wrong and what to do next, where it happened. Read out when it appears.
 *
 * @param key the message that failed; undefined when it is the conversation as a whole
 */
export function problemNotice(model: PanelModel, problem: Problem, key?: string): TemplateResult {
  const { locale, actions, now } = model;
  const { title, advice, action } = explain(problem, locale.texts);
  const seconds = Math.ceil(((problem.retryAt ?? now) - now) / 1000);
  const retry = (): void => {
    actions.retry(key);
  };
  const button =
    action === 'retry'
      ? html`<button type="button" part="retry-button" @click=${retry}>${locale.texts.retry}</button>`
      : action === 'start-over'
        ? html`<button type="button" part="retry-button" @click=${actions.startOver}>
            ${locale.texts.startOver}
          </button>`
        : nothing;
  return html`<div part="problem">
    <div role="alert"><strong>${title}</strong> ${advice}</div>
    ${seconds > 0 ? html`<p class="countdown">${fill(locale.texts.retryIn, { seconds })}</p>` : button}
  </div>`;
}
