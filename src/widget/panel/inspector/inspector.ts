import { html, nothing, type TemplateResult } from 'lit/html.js';
import type { FunctionCall } from '../../../client/chat-client.ts';
import type { Conversation } from '../../conversation/conversation.ts';
import { inspectorTexts, type InspectorTexts } from '../../texts/inspector-texts.ts';
import { fill, type Locale } from '../../texts/texts.ts';
import { button } from '../header.ts';
import { icon } from '../icons.ts';
import type { AddOn, PageToolCall } from '../add-on.ts';
import type { PanelContext } from '../panel-context.ts';
import inspectorCss from './inspector.css?inline';
import { readVariables } from './read-variables.ts';

export { inspectorCss as css };

const inspectIcon = icon('m9 8-4 4 4 4m6-8 4 4-4 4');

/** The preview's label, and the drawer that a button opens and closes. */
export function start(panel: PanelContext): AddOn {
  return new Inspector(panel);
}

class Inspector implements AddOn {
  readonly #panel: PanelContext;
  #isOpen = true;
  /** The conversation and the number of its messages when its variables were last requested. */
  #requested = '';

  constructor(panel: PanelContext) {
    this.#panel = panel;
  }

  /** Requests the variables, which each message may change. */
  readonly conversationChanged = (conversation: Conversation): void => {
    const { conversationId, messages, status } = conversation.snapshot;
    const current = `${conversationId} ${messages.length}`;
    if (conversationId === undefined || status === 'replying' || current === this.#requested) return;
    this.#requested = current;
    // After a failure, the next message requests them again.
    readVariables(conversation.session).catch(() => undefined);
  };

  readonly inTitles = () => html`<span part="test-mark">${this.#locale.texts.test}</span>`;

  readonly inHeader = () =>
    button('inspect', this.#locale.texts.inspect, inspectIcon, this.#toggle, this.#isOpen);

  readonly aboveComposer = () => (this.#isOpen ? drawer(this.#panel, this.#locale) : nothing);

  readonly #toggle = (): void => {
    this.#isOpen = !this.#isOpen;
    this.#panel.requestRender();
  };

  get #locale(): Locale {
    return this.#panel.locale as Locale;
  }
}

/** Renders variables, function calls with their results, and timings. */
function drawer(panel: PanelContext, locale: Locale): TemplateResult {
  const { snapshot } = panel.conversation;
  const all: Readonly<Record<string, InspectorTexts>> = inspectorTexts;
  const texts = all[locale.language] ?? inspectorTexts.en;
  const variables = Object.entries(snapshot.variables ?? {});
  const calls = snapshot.messages.flatMap((message) => {
    const pageCalls = [...panel.addOns.pageToolCalls(message)];
    return message.functionCalls.map((call) => ({ ...call, inPage: take(pageCalls, call) }));
  });
  const timings = snapshot.messages.flatMap(({ timing }) => timing ?? []);
  const none = html`<p class="state">${texts.none}</p>`;
  return html`<section part="inspector" aria-label=${locale.texts.inspect} tabindex="0">
    <h3>${texts.variables}</h3>
    ${
      variables.length === 0
        ? none
        : html`<dl>
            ${variables.map(
              ([name, value]) =>
                html`<dt><code>${name}</code></dt>
                  <dd dir="auto">${asText(value)}</dd>`,
            )}
          </dl>`
    }
    <h3>${texts.functionCalls}</h3>
    ${
      calls.length === 0
        ? none
        : calls.map(
            (call) =>
              html`<details open>
                <summary><code>${call.name}</code></summary>
                <h4>${texts.arguments}</h4>
                <pre dir="ltr">${asText(call.arguments)}</pre>
                <h4>${texts.result}</h4>
                ${resultOf(call, texts, locale)}
              </details>`,
          )
    }
    <h3>${texts.timings}</h3>
    <ol>
      ${
        snapshot.openedIn === undefined
          ? nothing
          : html`<li>${fill(texts.openedIn, { total: Math.round(snapshot.openedIn) })}</li>`
      }
      ${timings.map(
        ({ first, total }) =>
          html`<li>${fill(texts.answeredIn, { first: Math.round(first), total: Math.round(total) })}</li>`,
      )}
    </ol>
  </section>`;
}

/** The outcome of a call. For page tools, it is known only in the page and only during this visit. */
function resultOf(
  { client, inPage, result = inPage?.result }: FunctionCall & { readonly inPage: PageToolCall | undefined },
  { running }: InspectorTexts,
  locale: Locale,
): unknown {
  const { state, title: name = '' } = inPage ?? {};
  const { toolQuestion: asked, toolDone: done, toolDenied: denied, toolFailed: failed } = locale.texts;
  const value = result === undefined ? nothing : html`<pre dir="ltr">${asText(result)}</pre>`;
  if (state && state !== 'running' && (state !== 'done' || value === nothing))
    return html`<p dir="auto">${fill({ asked, done, denied, failed }[state], { name })}</p>
      ${value}`;
  return value === nothing ? html`<p>${client && !state ? '–' : running}</p>` : value;
}

/** Removes and returns the call of a page tool from a list. */
function take(calls: PageToolCall[], { name, arguments: args }: FunctionCall): PageToolCall | undefined {
  const isSame = (call: PageToolCall): boolean =>
    call.name === name && JSON.stringify(call.arguments) === JSON.stringify(args);
  const at = calls.findIndex(isSame);
  return at < 0 ? undefined : calls.splice(at, 1)[0];
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value, null, 2);
}
