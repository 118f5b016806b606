import { html, nothing, type TemplateResult } from 'lit/html.js';
import { guard } from 'lit/directives/guard.js';
import type { Problem } from '../conversation/problem.ts';
import type { Message } from '../conversation/snapshot.ts';
import type { Locale, Texts } from '../texts/texts.ts';
import type { AddOns } from './add-ons.ts';
import { range } from './range.ts';
import type { MarkdownRenderer } from './markdown/markdown.ts';
import type { PanelActions } from './panel-actions.ts';
import type { LazyModules } from './modules/lazy-modules.ts';
import type { LogController } from './message-log/log-controller.ts';

/**
 * Number of messages that are compared and rendered together, and skipped together off-screen. This makes a streaming
 * answer cost the same in a short log and in a long one.
 */
export const pageSize = 25;

/** Everything that rendering messages depends on, besides the messages. */
export interface LogValues {
  readonly locale: Locale;
  /** The assistant's name. */
  readonly heading: string;
  /** The last message of the conversation: the visitor can send its suggested replies. */
  readonly last: Message | undefined;
  /** Milliseconds since 1970, for days and countdowns. */
  readonly now: number;
  /** Undefined on pages whose Markdown is not rendered yet. */
  readonly markdown: MarkdownRenderer | undefined;
  readonly modules: LazyModules;
  readonly addOns: AddOns;
  readonly actions: Pick<PanelActions, 'retry' | 'edit' | 'startOver'>;
}

/** Content around a message, once the messaging module has loaded. */
export interface MessageDetails {
  /** A divider with the day, or the "new messages" marker. */
  readonly above: unknown;
  /** Classes of its list item. */
  readonly className: string;
  /** Its accessible name: author and time. */
  readonly label: string;
  /** The name of the person who wrote it, if it is shown. */
  readonly author: TemplateResult | undefined;
  /** Its text; an event is described in the language of the chat. */
  readonly text: string;
  /** The functions that the assistant called, and the message's actions. */
  readonly below: unknown;
}

/**
 * The list of messages. `role="log"` but not live: answers grow in chunks, and the announcer reads them sentence by
 * sentence.
 */
export function messageLog({
  texts,
  pages,
  greeting,
  isOpening,
  isTyping,
  problem,
  onApproach,
}: {
  readonly texts: Texts;
  readonly pages: unknown;
  /** Shown in place of messages. */
  readonly greeting: string | undefined;
  readonly isOpening: boolean;
  /** Whether the answer has not begun yet. */
  readonly isTyping: boolean;
  /** The notice that the conversation as a whole cannot continue. */
  readonly problem: unknown;
  readonly onApproach: () => void;
}): TemplateResult {
  return html`<div
    part="message-log"
    role="log"
    aria-live="off"
    aria-label=${texts.messages}
    tabindex="0"
    @pointerover=${onApproach}
    @focusin=${onApproach}
  >
    ${greeting && html`<p class="empty" dir="auto">${greeting}</p>`}
    <div role="list">${pages}</div>
    ${isOpening ? html`<p class="state">${texts.connecting}</p>` : nothing}
    ${
      isTyping
        ? html`<p part="typing" class="typing">
            <span class="visually-hidden">${texts.typing}</span><i></i><i></i><i></i>
          </p>`
        : nothing
    }
    ${problem}
  </div>`;
}

/**
 * Renders the last pages of a conversation. Earlier ones stay empty.
 *
 * @param renderedPages the number of pages, counted from the end
 */
export function messagePages(
  messages: readonly Message[],
  renderedPages: number,
  logController: LogController | undefined,
  values: LogValues,
): unknown {
  const count = Math.ceil(messages.length / pageSize);
  const earlier = logController?.beforeRender(values);
  const latest = range(count).map((page) => {
    if (page < count - renderedPages) return nothing;
    // Markdown takes time: on old pages it is rendered when the reader scrolls near, or when the page is idle.
    const hasMarkdown =
      page === count - 1 || (logController?.isNear(page) ?? values.modules.isMissing('messaging'));
    return messagePage(
      messages,
      page * pageSize,
      logController,
      hasMarkdown ? values : { ...values, markdown: undefined },
    );
  });
  return [earlier, latest];
}

/** Renders one page of messages. Every page but the last has the class `old`. */
export function messagePage(
  all: readonly Message[],
  from: number,
  logController: LogController | undefined,
  values: LogValues,
): TemplateResult {
  const { locale, heading, last, now, markdown, modules, addOns } = values;
  const messages = all.slice(from, from + pageSize);
  // A message is rendered again only if a value that it shows changes: most have neither Markdown nor a problem.
  const forProblem = modules.get('messaging') ?? modules.isMissing('messaging');
  const forMarkdown = markdown ?? modules.isMissing('markdown');
  const basisOf = (message: Message): unknown[] => [
    message,
    message === last,
    message.problem && forProblem,
    message.problem?.retryAt && now,
    isMarkdown(message) && forMarkdown,
    ...addOns.below(message),
  ];
  const common = [locale, heading];
  const basis = [...common, ...messages.flatMap(basisOf), ...(logController?.basisOf(messages, from) ?? [])];
  const render = (): unknown[] =>
    messages.map((message, at) => {
      const details = logController?.detailsOf(all, from + at, values);
      return guard([...common, ...basisOf(message), details], () => messageItem(message, details, values));
    });
  return html`<ol role="none" class="page ${from + pageSize < all.length ? 'old' : ''}">
    ${guard(basis, render)}
  </ol>`;
}

function messageItem(
  message: Message,
  details: MessageDetails | undefined,
  values: LogValues,
): TemplateResult {
  const { locale, heading, last, markdown, modules } = values;
  const { key, role, status, isStopped, functionCalls } = message;
  const text = details?.text ?? message.text;
  // Some services store empty messages. An answer that calls tools has no text yet, or none at all.
  const isBlank = !text.trim();
  const isHidden = isBlank && !functionCalls.length && !isStopped;
  const author = authorOf(message, heading, locale.texts);
  const label = details?.label ?? author;
  // Until the Markdown module has loaded, the syntax is hidden.
  const isAwaited = isMarkdown(message) && !modules.isMissing('markdown');
  const className = `${role} ${details?.className ?? ''}`;
  return html`${details?.above}
    <li role="listitem" class=${className} data-status=${status} data-key=${key} ?hidden=${isHidden}>
      <article part="message message-${role}" tabindex="-1" aria-label=${label} ?hidden=${isBlank}>
        ${details?.author ?? html`<span class="visually-hidden">${author}: </span>`}${
          markdown !== undefined && isMarkdown(message)
            ? markdown(message, message === last)
            : html`<span class="text" dir="auto">${isAwaited ? withoutMarks(text) : text}</span>`
        }
      </article>
      ${below(message, details, values)}
    </li>`;
}

/** Removes Markdown syntax. Omits lists of links, since they may be suggested replies. */
function withoutMarks(text: string): string {
  return text.replace(/^[-*] \[[^]*|[*_`~|]+|\]\([^)]*\)?|^ {0,3}(#+|>|[-+]) |!?\[/gm, '');
}

/** Renders a message's state and the content of add-ons and tools below it; most messages have none. */
function below(message: Message, details: MessageDetails | undefined, values: LogValues): unknown {
  const { texts } = values.locale;
  const { status, problem, isStopped } = message;
  const state = isStopped
    ? texts.stopped
    : {
        queued: texts.queued,
        sending: texts.sending,
        // It will be sent automatically.
        failed: problem?.code === 'offline' ? texts.queued : texts.notSent,
      }[status as 'queued'];
  const hasProblem =
    status === 'failed' && problem !== undefined && problem.code !== 'conversation-not-found';
  const more = [...values.addOns.below(message), details?.below];
  if (!state && !more.some(Boolean)) return nothing;
  return html`${state ? html`<small class="state">${state}</small>` : nothing}
  ${hasProblem ? notice(problem, true, values, message) : nothing} ${more}`;
}

/**
 * An error and its next step. The full explanation loads lazily; if it is missing, the connection is probably lost.
 *
 * @param hasUnsent whether the visitor has unsent messages
 * @param message the message that failed; undefined if the conversation as a whole failed
 */
export function notice(
  problem: Problem,
  hasUnsent: boolean,
  { locale: { texts }, now, modules, actions }: LogValues,
  message?: Message,
): unknown {
  const messaging = modules.get('messaging');
  if (messaging) return messaging.problemNotice(problem, message, { texts, now, actions, hasUnsent });
  if (!modules.isMissing('messaging')) return nothing;
  const retry = (): void => {
    actions.retry(message?.key);
  };
  return html`<div part="problem">
    <div role="alert"><strong>${texts.network}</strong></div>
    <button type="button" part="retry-button" @click=${retry}>${texts.retry}</button>
  </div>`;
}

/** The name of a message's author. */
export function authorOf({ author, role }: Message, heading: string, { you, notice }: Texts): string {
  return author || { user: you, assistant: heading, system: notice }[role];
}

/** The results of `isMarkdown`, cached because it is called for every message in every frame. */
const areMarkdown = new WeakMap<Message, boolean>();

/** Whether a text may look different as Markdown. Only then is the Markdown module loaded. */
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
