import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Problem } from '../state/problem.ts';
import type { Message } from '../state/snapshot.ts';
import type { MessageDetails, PanelModel } from './panel-model.ts';
import { headingOf } from './panel-model.ts';

/** Messages that are compared and drawn together: a growing answer then costs the same in a short log and a long one. */
export const pageSize = 100;

/**
 * The conversation. `role="log"` without being live: answers grow token by token, and a screen reader hears each one
 * once, when it is complete, from the announcer.
 */
export function messageLog(model: PanelModel): TemplateResult {
  const { snapshot, locale, options } = model;
  const { texts } = locale;
  const { messages, status, problem } = snapshot;
  const isEmpty = status === 'ready' && messages.length === 0;
  const last = messages.at(-1);
  const isWaiting = status === 'replying' && last?.status !== 'streaming';
  const wake = (): void => void model.late.load('reading');
  return html`<div
    part="message-log"
    role="log"
    aria-live="off"
    aria-label=${texts.messages}
    tabindex="0"
    @pointerover=${wake}
    @focusin=${wake}
  >
    ${isEmpty ? html`<p class="empty">${options.greeting ?? texts.empty}</p>` : nothing}
    <ol>
      ${pages(model)}
    </ol>
    ${status === 'opening' ? html`<p class="state">${texts.connecting}</p>` : nothing}
    ${
      isWaiting
        ? html`<p part="typing" class="typing">
            <span class="visually-hidden">${texts.typing}</span><i></i><i></i><i></i>
          </p>`
        : nothing
    }
    ${problem === undefined ? nothing : notice(model, problem)}
  </div>`;
}

/** The last pages, as many as the panel wants by now; the others keep their places. */
function pages(model: PanelModel): unknown[] {
  const { locale, options, markdown, snapshot, now, late, addOns } = model;
  const details = model.reading?.details(model) ?? [];
  const count = Math.ceil(snapshot.messages.length / pageSize);
  return Array.from({ length: count }, (_, index) => {
    if (index < count - model.pages) return nothing;
    const from = index * pageSize;
    const messages = snapshot.messages.slice(from, from + pageSize);
    const drawing = messages.map((message, at) => {
      const basis = [
        message,
        details[from + at],
        message.problem?.retryAt && now,
        ...(addOns?.below(message) ?? []),
      ];
      return { basis, draw: () => item(model, message, isOld, details[from + at]) };
    });
    const isOld = index < count - 1;
    const common = [isOld, locale, options, markdown, late.get('problems') ?? late.isMissing('problems')];
    return guard([...common, ...drawing.flatMap(({ basis }) => basis)], () =>
      drawing.map(({ basis, draw }) => guard([...common, ...basis], draw)),
    );
  });
}

function item(model: PanelModel, message: Message, isOld: boolean, details?: MessageDetails): TemplateResult {
  const { texts } = model.locale;
  const { key, role, status, text, problem } = message;
  const author = authorOf(model, message);
  const state = message.isStopped
    ? texts.stopped
    : { queued: texts.queued, sending: texts.sending, failed: texts.notSent }[status as 'queued'];
  return html`${details?.above}
    <li
      class="${role} ${isOld ? 'old' : ''} ${details?.className ?? ''}"
      data-status=${status}
      data-key=${key}
    >
      <article part="message message-${role}" tabindex="-1" aria-label=${details?.label ?? author}>
        <span class="visually-hidden">${author}: </span>${
          isMarkdown(message) && model.markdown !== undefined
            ? model.markdown(message)
            : html`<span class="text" dir="auto">${text}</span>`
        }
      </article>
      ${state ? html`<small class="message-state">${state}</small>` : nothing}
      ${
        status === 'failed' && problem !== undefined && problem.code !== 'conversation-not-found'
          ? notice(model, problem, message)
          : nothing
      }
      ${model.addOns?.below(message)} ${details?.below}
    </li>`;
}

/** What went wrong and what to do. Whatever explains it in full is a late part: without it, the connection must be lost. */
function notice(model: PanelModel, problem: Problem, message?: Message): unknown {
  const { late, locale, actions } = model;
  const { texts } = locale;
  const retry = (): void => {
    actions.retry(message?.key);
  };
  return (
    late.get('problems')?.problemNotice(model, problem, message) ??
    (late.isMissing('problems')
      ? html`<div part="problem">
          <div role="alert"><strong>${texts.network}</strong></div>
          <button type="button" part="retry-button" @click=${retry}>${texts.retry}</button>
        </div>`
      : nothing)
  );
}

/** What the panel calls whoever wrote a message. */
export function authorOf(model: PanelModel, { role }: Message): string {
  const { you, notice } = model.locale.texts;
  return { user: you, assistant: headingOf(model), system: notice }[role];
}

/** Whether a text may look different as Markdown: only then is it worth loading what draws it. */
export function isMarkdown({ role, text }: Message): boolean {
  return (
    role === 'assistant' &&
    /[*_`#~|<>[\\]|&[#\w]+;|^ {0,3}(?:[-+]|\d+[.)]) |---|===|https?:|www\.|@/m.test(text)
  );
}
