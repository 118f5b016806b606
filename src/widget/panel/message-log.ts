import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Problem } from '../conversation/problem.ts';
import type { Message } from '../conversation/snapshot.ts';
import type { MarkdownRenderer, MessageDetails, PanelModel } from './panel-model.ts';
import { headingOf } from './panel-model.ts';

/**
 * Messages that are compared, drawn and, out of sight, skipped together, so that a streaming answer costs the same in a
 * short log and in a long one.
 */
export const pageSize = 25;

/**
 * The conversation. `role="log"` but not live: answers grow token by token, and the announcer reads each one
 * by sentence.
 */
export function messageLog(model: PanelModel): TemplateResult {
  const { snapshot, locale, options } = model;
  const { texts } = locale;
  const { messages, status, problem } = snapshot;
  const isEmpty = status === 'ready' && messages.length === 0;
  const last = messages.at(-1);
  const isWaiting = status === 'replying' && last?.status !== 'streaming';
  const wake = (): void => void model.modules.load('talk');
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
    <div role="list">${pages(model)}</div>
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

/** The last pages, as many as are rendered by now; earlier ones keep their place. */
function pages(model: PanelModel): unknown[] {
  const { reading, snapshot, modules, markdown } = model;
  const { messages } = snapshot;
  const count = Math.ceil(messages.length / pageSize);
  const before = reading?.begin(model);
  const latest = Array.from({ length: count }, (_, page) => {
    if (page < count - model.pages) return nothing;
    // Markdown takes time: on old pages it is rendered when the reader comes near, or when the page is idle.
    const isDrawn = page === count - 1 || (reading?.isNear(page) ?? modules.isMissing('talk'));
    return logPage(model, messages, page * pageSize, isDrawn ? markdown : undefined);
  });
  return [before, latest];
}

/** One page of messages; all but the last are old. */
export function logPage(
  model: PanelModel,
  all: readonly Message[],
  from: number,
  drawer: MarkdownRenderer | undefined,
): TemplateResult {
  const { locale, options, reading, now, modules, addOns } = model;
  const messages = all.slice(from, from + pageSize);
  const problems = modules.get('talk') ?? modules.isMissing('talk');
  const common = [locale, options, drawer, problems, modules.isMissing('markdown')];
  const basisOf = (message: Message): unknown[] => [
    message,
    isLast(model, message),
    message.problem?.retryAt && now,
    ...(addOns?.below(message) ?? []),
  ];
  const basis = [...common, ...messages.flatMap(basisOf), ...(reading?.basisOf(messages, from) ?? [])];
  const draw = (): unknown[] =>
    messages.map((message, at) => {
      const details = reading?.detailsOf(model, all, from + at);
      return guard([...common, ...basisOf(message), details], () => item(model, message, drawer, details));
    });
  return html`<ol role="none" class="page ${from + pageSize < all.length ? 'old' : ''}">
    ${guard(basis, draw)}
  </ol>`;
}

function item(
  model: PanelModel,
  message: Message,
  markdown: MarkdownRenderer | undefined,
  details?: MessageDetails,
): TemplateResult {
  const { key, role, status, text, isStopped, functionCalls } = message;
  // Some services store empty messages.
  const isBlank = !text.trim() && !functionCalls.length && !isStopped;
  const author = authorOf(model, message);
  // Until the Markdown module has loaded, no marks are shown.
  const isAwaited = isMarkdown(message) && !model.modules.isMissing('markdown');
  const className = `${role} ${details?.className ?? ''}`;
  return html`${details?.above ?? nothing}
    <li role="listitem" class=${className} data-status=${status} data-key=${key} ?hidden=${isBlank}>
      <article part="message message-${role}" tabindex="-1" aria-label=${details?.label ?? author}>
        <span class="visually-hidden">${author}: </span>${
          markdown !== undefined && isMarkdown(message)
            ? markdown(message, isLast(model, message))
            : html`<span class="text" dir="auto">${isAwaited ? withoutMarks(text) : text}</span>`
        }
      </article>
      ${below(model, message, details)}
    </li>`;
}

/** Removes Markdown's marks. A list of links is left out, since it may be suggested replies. */
function withoutMarks(text: string): string {
  return text.replace(/^[-*] \[[^]*|[*_`~|]+|\]\([^)]*\)?|^ {0,3}(#+|>|[-+]) |!?\[/gm, '');
}

/** Draws the state of a message and what add-ons and tools show below it; most messages have none of these. */
function below(model: PanelModel, message: Message, details?: MessageDetails): unknown {
  const { texts } = model.locale;
  const { status, problem, isStopped } = message;
  const state = isStopped
    ? texts.stopped
    : {
        queued: texts.queued,
        sending: texts.sending,
        // It is sent automatically.
        failed: problem?.code === 'offline' ? texts.queued : texts.notSent,
      }[status as 'queued'];
  const hasProblem =
    status === 'failed' && problem !== undefined && problem.code !== 'conversation-not-found';
  const more = [...(model.addOns?.below(message) ?? []), details?.below];
  if (!state && !more.some(Boolean)) return nothing;
  return html`${state ? html`<small class="message-state">${state}</small>` : nothing}
  ${hasProblem ? notice(model, problem, message) : nothing} ${more}`;
}

/** An error and its next step. The full explanation loads lazily; if it is missing, the connection is probably lost. */
function notice(model: PanelModel, problem: Problem, message?: Message): unknown {
  const { modules, locale, actions } = model;
  const { texts } = locale;
  const retry = (): void => {
    actions.retry(message?.key);
  };
  return (
    modules.get('talk')?.problemNotice(model, problem, message) ??
    (modules.isMissing('talk')
      ? html`<div part="problem">
          <div role="alert"><strong>${texts.network}</strong></div>
          <button type="button" part="retry-button" @click=${retry}>${texts.retry}</button>
        </div>`
      : nothing)
  );
}

/** Whether a message is the last one, so that the replies it suggests can be sent. */
function isLast({ snapshot }: PanelModel, message: Message): boolean {
  return message === snapshot.messages.at(-1);
}

/** The name of a message's author. */
export function authorOf(model: PanelModel, { role }: Message): string {
  const { you, notice } = model.locale.texts;
  return { user: you, assistant: headingOf(model), system: notice }[role];
}

/** Asked for every message in every frame, so the answer is kept. */
const areMarkdown = new WeakMap<Message, boolean>();

/** Whether a text may look different as Markdown. Only then the Markdown module is loaded. */
export function isMarkdown(message: Message): boolean {
  const known = areMarkdown.get(message);
  if (known !== undefined) return known;
  const { role, text } = message;
  const is =
    role === 'assistant' &&
    /[*_`#~|<>[\\]|&[#\w]+;|^ {0,3}(?:[-+]|\d+[.)]) |---|===|https?:|www\.|@/m.test(text);
  areMarkdown.set(message, is);
  return is;
}
