import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { Texts } from '../../texts/texts.ts';
import { fill } from '../../texts/texts.ts';

/** One call of a function of the page. */
export interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly state: 'asked' | 'running' | 'done' | 'denied' | 'failed';
}

/** What the assistant asks the page to do, with which values, and what becomes of it. */
export function toolNotes(
  calls: readonly ToolCall[],
  texts: Texts,
  decide: (call: ToolCall, isAllowed: boolean) => void,
): TemplateResult[] {
  return calls.map((call) => {
    const { name, state, arguments: args } = call;
    const text = {
      asked: texts.toolQuestion,
      running: '{name}',
      done: texts.toolDone,
      denied: texts.toolDenied,
      failed: texts.toolFailed,
    }[state];
    const button = (label: string, isAllowed: boolean): TemplateResult =>
      html`<button
        type="button"
        class="tool-button"
        @click=${() => {
          decide(call, isAllowed);
        }}
      >
        ${label}
      </button>`;
    return html`<div part="tool-request" role="group" aria-label=${fill(text, { name })} data-state=${state}>
      <p dir="auto">${fill(text, { name })}${state === 'running' ? html`<i></i>` : nothing}</p>
      ${valuesOf(args)}
      ${state === 'asked' ? html`<div>${button(texts.allow, true)} ${button(texts.deny, false)}</div>` : nothing}
    </div>`;
  });
}

function valuesOf(args: ToolCall['arguments']): unknown {
  const entries = Object.entries(args);
  if (entries.length === 0) return nothing;
  return html`<dl tabindex="0">
    ${entries.map(
      ([name, value]) =>
        html`<dt dir="auto">${name}</dt>
          <dd dir="auto">${typeof value === 'string' ? value : JSON.stringify(value)}</dd>`,
    )}
  </dl>`;
}
