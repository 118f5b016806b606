import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Message } from '../state/snapshot.ts';
import type { PanelModel } from './panel-model.ts';
import { headingOf } from './panel-model.ts';
import { problemNotice } from './problem-notice.ts';

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
  return html`<div part="message-log" role="log" aria-live="off" aria-label=${texts.messages} tabindex="0">
    ${isEmpty ? html`<p class="empty">${options.greeting ?? texts.empty}</p>` : nothing}
    <ol>
      ${messages.map((message) =>
        message.problem?.retryAt === undefined
          ? guard([message, locale, options, model.markdown], () => item(model, message))
          : item(model, message),
      )}
    </ol>
    ${status === 'opening' ? html`<p class="state">${texts.connecting}</p>` : nothing}
    ${
      isWaiting
        ? html`<p part="typing" class="typing">
            <span class="visually-hidden">${texts.typing}</span><i></i><i></i><i></i>
          </p>`
        : nothing
    }
    ${problem === undefined ? nothing : problemNotice(model, problem)}
  </div>`;
}

function item(model: PanelModel, message: Message): TemplateResult {
  const { texts } = model.locale;
  const { role, status, text, problem } = message;
  const author = { user: texts.you, assistant: headingOf(model), system: texts.notice }[role];
  const state = { queued: texts.queued, sending: texts.sending, failed: texts.notSent }[status as 'queued'];
  return html`<li class=${role} data-status=${status}>
    <div part="message message-${role}">
      <span class="visually-hidden">${author}: </span>${
        isMarkdown(message) && model.markdown !== undefined
          ? model.markdown(message)
          : html`<span class="text" dir="auto">${text}</span>`
      }
    </div>
    ${role === 'user' && state ? html`<small class="message-state">${state}</small>` : nothing}
    ${
      status === 'failed' && problem !== undefined && problem.code !== 'conversation-not-found'
        ? problemNotice(model, problem, message.key)
        : nothing
    }
  </li>`;
}

/** Whether a text may look different as Markdown: only then is it worth loading what draws it. */
export function isMarkdown({ role, text }: Message): boolean {
  return (
    role === 'assistant' &&
    /[*_`#~|<>[\\]|&[#\w]+;|^ {0,3}(?:[-+]|\d+[.)]) |---|===|https?:|www\.|@/m.test(text)
  );
}
