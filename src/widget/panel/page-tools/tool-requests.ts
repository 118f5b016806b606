import { html, nothing, type TemplateResult } from 'lit/html.js';
import { fill, type Locale } from '../../texts/texts.ts';
import type { PageToolCall } from '../add-on.ts';
import { readableValue } from './readable-value.ts';

/** A call of a page tool. */
export interface ToolCall extends PageToolCall {
  /** Identifies the call in its conversation. */
  readonly id: string;
  /** The key of the message that requests it. */
  readonly messageKey: string;
  /** The number of messages that the visitor had sent when it was requested. */
  readonly turn: number;
  /** The same number when it was answered: the result is sent with the next message. */
  readonly answeredIn?: number | undefined;
  /** The arguments, with labels for visitors in place of names. */
  readonly values: readonly (readonly [label: string, value: unknown])[];
}

/** The visitor's answer to a request to call a tool. */
export type Consent = 'once' | 'always' | 'no';

/** The visitor's actions on the calls of a message. */
export interface ToolRequestActions {
  readonly decide: (call: ToolCall, consent: Consent) => void;
  /** Set while the results wait for the visitor's next message. */
  readonly onContinue: (() => void) | undefined;
}

/** Renders the calls of a message: their tools, arguments and outcomes. */
export function toolRequests(
  calls: readonly ToolCall[],
  locale: Locale,
  { decide, onContinue }: ToolRequestActions,
): TemplateResult {
  const texts = locale.texts;
  const button = (label: string, act: () => void): TemplateResult =>
    html`<button type="button" class="tool-button" @click=${act}>${label}</button>`;
  const requests = calls.map((call) => {
    const { title: name, state } = call;
    const text = {
      asked: texts.toolQuestion,
      running: '{name}',
      done: texts.toolDone,
      denied: texts.toolDenied,
      failed: texts.toolFailed,
    }[state];
    const consentButton = (label: string, consent: Consent): TemplateResult =>
      button(label, () => {
        decide(call, consent);
      });
    return html`<div part="tool-request" role="group" aria-label=${fill(text, { name })} data-state=${state}>
      <p dir="auto">${fill(text, { name })}${state === 'running' ? html`<i></i>` : nothing}</p>
      ${valuesOf(call, locale)}
      ${
        state === 'asked'
          ? html`<div>
              ${consentButton(texts.allow, 'once')} ${consentButton(texts.deny, 'no')}
              ${consentButton(texts.allowAlways, 'always')}
            </div>`
          : nothing
      }
    </div>`;
  });
  return html`${requests}${
    onContinue === undefined
      ? nothing
      : html`<div part="continue" class="continue">${button(texts.continue, onContinue)}</div>`
  }`;
}

function valuesOf({ values }: ToolCall, locale: Locale): unknown {
  if (values.length === 0) return nothing;
  const texts = locale.texts;
  return html`<dl tabindex="0">
    ${values.map(
      ([label, value]) =>
        // Label and value may have different directions.
        html`<dt><bdi>${label}</bdi></dt>
          <dd><bdi>${readableValue(value, texts, locale.language)}</bdi></dd>`,
    )}
  </dl>`;
}
