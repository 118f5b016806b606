import { html, nothing } from 'lit/html.js';
import type { Message, Snapshot } from '../../conversation/snapshot.ts';
import type { Locale } from '../../texts/texts.ts';
import { icon } from '../icons.ts';
import { idle } from '../../element/when-idle.ts';
import { isMarkdown, pageSize, type LogValues, type MessageDetails } from '../message-log.ts';
import type { PanelContext } from '../panel-context.ts';
import { Announcements } from './announcements.ts';
import { moveLogFocus } from './log-keys.ts';
import { messageSurroundings, timeOf } from './message-surroundings.ts';
import { messageActions } from './message-actions.ts';
import { RenderThrottle } from './render-throttle.ts';
import { startOfDay } from './day-label.ts';
import { UnreadBadge } from './unread-badge.ts';
import { unreadText } from './unread-text.ts';
import { usedTools } from './used-tools.ts';

interface Known {
  readonly basis: readonly unknown[];
  readonly details: MessageDetails;
}

/** Number of messages that are rendered as Markdown at once. */
const messagesPerRender = 50;

/** Milliseconds between these renders, so that the page stays responsive. */
const renderPause = 30;

const downIcon = icon('M12 5v14m-6-6 6 6 6-6');

/**
 * Controls the message log: which pages are rendered in full, the details of each message (times, dividers, actions),
 * and the count of unread messages.
 */
export class LogController {
  readonly announcements: Announcements;
  readonly throttle: RenderThrottle;
  readonly #panel: PanelContext;
  readonly #badge: UnreadBadge;
  readonly #known = new WeakMap<Message, Known>();
  /** Pages rendered in full: immediately near the viewport, the others when the page is idle. */
  readonly #near = new Set<number>();
  #renderTimer: ReturnType<typeof setTimeout> | undefined;
  #countdown: ReturnType<typeof setTimeout> | undefined;
  /** The message before those of the snapshot, if it has been loaded. */
  #before: Message | undefined;
  #today = 0;
  /**
   * Whether times and days are shown. For its first format, a browser needs 50 ms, or 200 ms on a phone, so they wait
   * until the page is idle, and in a conversation of today until the first answer is complete. A greeting alone has none.
   */
  showsTimes = false;
  #isWaiting = false;
  /** The messages under the pointer and with the focus. */
  #hovered: string | undefined;
  #focused: string | undefined;
  /** The conversation whose messages are counted. */
  #counted: string | undefined;
  /** How many received messages the visitor has seen, and the key of the first unseen one. */
  #seen: number | undefined;
  #firstNew: string | undefined;
  #unseen = 0;

  constructor(panel: PanelContext) {
    this.#panel = panel;
    this.announcements = new Announcements(panel);
    this.throttle = new RenderThrottle(panel.requestRender);
    this.#badge = new UnreadBadge(panel.host.launcher);
    // These listeners are released with the panel's elements.
    const { container } = panel;
    container.addEventListener('pointerover', this.#onPointer);
    container.addEventListener('pointerleave', this.#onPointer);
    container.addEventListener('focusin', this.#onFocus);
    container.addEventListener('focusout', this.#onFocus);
    container.addEventListener('keydown', this.#onKey);
    container.addEventListener('scroll', this.#onScroll, true);
    this.#hovered = keyOf(container.querySelector('li[data-key]:hover'));
    this.#focused = keyOf(container.querySelector('li[data-key]:focus-within'));
  }

  get #snapshot(): Snapshot {
    return this.#panel.conversation.snapshot;
  }

  /** Whether the assistant has greeted, and nobody has written. */
  get #isGreetingAlone(): boolean {
    const [first, second] = this.#snapshot.messages;
    return first?.role === 'assistant' && !first.author && !second && !this.#before;
  }

  /**
   * Call before each render. Returns the content above the messages: earlier messages, or the button that loads them.
   */
  beforeRender(values: LogValues): unknown {
    const { modules } = this.#panel;
    const snapshot = this.#snapshot;
    const earlier = modules.get('extras');
    this.#before = earlier?.lastEarlier(snapshot);
    if (snapshot.earlier) void modules.load('extras');
    this.#today = startOfDay(values.now);
    this.#count(snapshot);
    return earlier?.earlierMessages(this.#panel, values);
  }

  /** Whether a page of messages is or was near the viewport. */
  isNear(page: number): boolean {
    return this.#near.has(page);
  }

  /** Everything that the details of these messages depend on, besides the messages. */
  basisOf(messages: readonly Message[], from: number): readonly unknown[] {
    const here = [this.#hovered, this.#focused, this.#firstNew].map(
      (key) => key !== undefined && messages.some((message) => message.key === key) && key,
    );
    const { choices, messages: all } = this.#snapshot;
    const previous = all[from - 1] ?? this.#before;
    return [...here, choices, this.#today, this.showsTimes, previous, this.#panel.options];
  }

  /** Returns the same object as long as nothing changes. */
  detailsOf(messages: readonly Message[], index: number, values: LogValues): MessageDetails {
    const { host, options } = this.#panel;
    const { choices, messages: all } = this.#snapshot;
    const message = messages[index] as Message;
    const previous = messages[index - 1] ?? (messages === all ? this.#before : undefined);
    const { key } = message;
    const isGreetingAlone = this.#isGreetingAlone;
    const isFirstNew = key === this.#firstNew;
    const isActive = key === this.#hovered || key === this.#focused;
    const hasTools = isActive && isSettled(message);
    const basis = [
      previous,
      isGreetingAlone,
      isFirstNew,
      isActive,
      hasTools && choices,
      this.#today,
      this.showsTimes,
      values.locale,
      values.heading,
      options,
    ];
    const known = this.#known.get(message);
    if (known?.basis.every((value, at) => value === basis[at])) return known.details;
    const { locale } = values;
    const tools = hasTools ? messageActions(message, locale, this.#panel) : undefined;
    const used = host.element.showFunctionCalls ? usedTools(message, locale) : undefined;
    const { showsTimes } = this;
    const around = { previous, isGreetingAlone, isFirstNew, isActive, showsTimes, used, tools };
    const details = messageSurroundings(message, values, around);
    this.#known.set(message, { basis, details });
    return details;
  }

  /** The button that scrolls to the latest message. */
  latest(locale: Locale): unknown {
    const { scroll } = this.#panel;
    if (scroll.isAtEnd) return nothing;
    const texts = locale.texts;
    return html`<div class="latest">
      <button type="button" part="latest-button" @click=${this.#goToEnd}>
        ${downIcon} ${this.#unseen > 0 ? unreadText(this.#unseen, locale) : texts.latest}
      </button>
    </div>`;
  }

  /**
   * Call after each render.
   *
   * @param isComplete whether all pages are rendered
   */
  afterRender(isComplete: boolean): void {
    const { announcer, container, scroll, conversation, markdown, requestRender } = this.#panel;
    this.throttle.rendered();
    const { snapshot } = conversation;
    const { messages } = snapshot;
    clearTimeout(this.#countdown);
    const isCounting = [snapshot, ...messages].some(({ problem }) => (problem?.retryAt ?? 0) > Date.now());
    // A hidden panel is not rendered, which ends it; one that was removed may still be rendered by a late answer.
    if (isCounting && container.isConnected) this.#countdown = setTimeout(requestRender, 1000);
    const isStreaming = messages.some(({ status }) => status === 'streaming');
    const complete = messages.length - Number(isStreaming);
    const isFew = this.#isGreetingAlone || (complete < 3 && (messages[0]?.at ?? Infinity) >= this.#today);
    if (!this.#isWaiting && !container.hidden && !isFew) void this.#showTimes();
    if (markdown !== undefined && isComplete) this.#renderLater();
    if (isStreaming) this.announcements.announceSoon();
    if (snapshot.unread > 0 && scroll.isAtEnd && conversation.isVisible) {
      // It may announce their number, or the beginning of an answer, which is not complete.
      if (announcer.isComplete) announcer.element.replaceChildren();
      conversation.markRead();
    }
  }

  async #showTimes(): Promise<void> {
    this.#isWaiting = true;
    await idle();
    // The format is created here, and not in the next frame, which the visitor would wait for.
    timeOf(Date.now(), (this.#panel.locale as Locale).formats);
    this.showsTimes = true;
    this.#panel.requestRender();
  }

  /** Call when the element is disconnected; the next render starts the timers again. */
  stop(): void {
    this.throttle.stop();
    clearTimeout(this.#countdown);
    clearTimeout(this.#renderTimer);
    this.#renderTimer = undefined;
    this.announcements.stop();
  }

  /** Shows the unread count on the launcher. */
  showUnread(count: number, locale: Locale | undefined): void {
    if (locale === undefined) return;
    // Called for every chunk of an answer, so the text is formatted only if needed: that is slow.
    this.#badge.show(count, count > 0 ? unreadText(count, locale) : '');
  }

  /** Counts messages that arrive while the reader has scrolled up, and marks the first. */
  #count({ conversationId, messages, unread }: Snapshot): void {
    if (conversationId !== this.#counted) {
      // Not when this module has just loaded: the reader may have scrolled up before.
      if (this.#counted) this.#panel.scroll.isAtEnd = true;
      this.#counted = conversationId;
      this.#seen = this.#firstNew = undefined;
      this.#unseen = 0;
    }
    const others = messages.filter(({ role, event }) => role !== 'user' && event !== 'call_ended');
    const isReading = this.#panel.scroll.isAtEnd && this.#panel.conversation.isVisible;
    if (isReading && unread === 0) this.#seen = others.length;
    const seen = (this.#seen = Math.min(this.#seen ?? Infinity, others.length - unread));
    const before = this.#unseen;
    this.#unseen = others.length - seen;
    if (before === 0 && this.#unseen > 0) this.#firstNew = others[seen]?.key;
    // A visitor who answers has read everything.
    if (messages.at(-1)?.role === 'user') this.#firstNew = undefined;
  }

  readonly #goToEnd = (): void => {
    const { container, requestRender, scroll } = this.#panel;
    scroll.goToEnd();
    // The button disappears; the focus must not open the keyboard on phones.
    container.querySelector<HTMLElement>('[role="log"]')?.focus({ preventScroll: true });
    requestRender();
  };

  readonly #onPointer = ({ type, target, pointerType }: PointerEvent): void => {
    // Touch has no hover, so the focus decides.
    if (pointerType === 'touch') return;
    const hovered = type === 'pointerleave' ? undefined : keyOf(target);
    if (hovered === this.#hovered) return;
    this.#hovered = hovered;
    this.#panel.requestRender();
  };

  readonly #onFocus = ({ type, target, relatedTarget }: FocusEvent): void => {
    const focused = keyOf(type === 'focusin' ? target : relatedTarget);
    if (focused === this.#focused) return;
    this.#focused = focused;
    this.#panel.requestRender();
  };

  /** Renders old pages one after another, so that find-in-page searches rendered text. */
  #renderLater(): void {
    if (this.#renderTimer !== undefined) return;
    // The last page is always rendered in full.
    let page = Math.ceil(this.#snapshot.messages.length / pageSize) - 2;
    while (this.#near.has(page)) page--;
    if (page < 0) return;
    this.#renderTimer = setTimeout(() => {
      this.#renderTimer = undefined;
      for (let count = 0; page >= 0 && count < messagesPerRender; page--) {
        this.#near.add(page);
        const messages = this.#snapshot.messages.slice(page * pageSize, (page + 1) * pageSize);
        count += messages.filter(isMarkdown).length;
      }
      this.#panel.requestRender();
    }, renderPause);
  }

  /** Renders the visible pages and their neighbors in full. */
  readonly #onScroll = ({ target }: Event): void => {
    if (!(target instanceof Element) || !target.matches('[role="log"]')) return;
    const { left, top, bottom } = target.getBoundingClientRect();
    const root = target.getRootNode() as ShadowRoot;
    const before = this.#near.size;
    const { messages } = this.#snapshot;
    for (const y of [top + 2, bottom - 2]) {
      const key = keyOf(root.elementFromPoint(left + 2, y));
      const page = Math.floor(messages.findIndex((message) => message.key === key) / pageSize);
      if (page >= 0) for (const each of [page - 1, page, page + 1]) this.#near.add(each);
    }
    if (this.#near.size > before) this.#panel.requestRender();
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const log = (event.target as Element).closest<HTMLElement>('[role="log"]');
    if (log === null || !moveLogFocus(log, event)) return;
    event.preventDefault();
    // Escape closes the panel only from outside the messages.
    event.stopPropagation();
  };
}

/** Whether a message can be copied and rated. */
const isSettled = ({ role, status }: Message): boolean =>
  role !== 'system' && (status === 'done' || status === 'sent');

/** The key of the message that an element belongs to. */
function keyOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('li[data-key]')?.dataset['key'] : undefined;
}
