import { html, nothing } from 'lit/html.js';
import type { Message } from '../../state/snapshot.ts';
import { allTexts, plural } from '../../texts/all-texts.ts';
import type { Locale } from '../../texts/texts.ts';
import type { Announcer } from '../announcer.ts';
import { icon } from '../icons.ts';
import type { LateParts } from '../late-parts.ts';
import type { PanelHost } from '../panel-host.ts';
import type { MessageDetails, PanelModel, PanelReading } from '../panel-model.ts';
import type { ScrollFollow } from '../scroll-follow.ts';
import { walkLog } from './log-keys.ts';
import { messageSurroundings } from './message-surroundings.ts';
import type { Rating } from './message-tools.ts';
import { NewSentences } from './new-sentences.ts';
import readingCss from './reading.css?inline';
import { startOfDay } from './day-label.ts';
import { UnreadBadge } from './unread-badge.ts';

export { readingCss as css };

/** The panel, as far as reading concerns it. */
export interface ReadingPanel {
  readonly container: HTMLElement;
  readonly late: LateParts;
  readonly announcer: Announcer;
  readonly follow: ScrollFollow;
  readonly draw: () => void;
}

interface Known {
  readonly basis: readonly unknown[];
  readonly details: MessageDetails;
}

const downIcon = icon('M12 5v14m-6-6 6 6 6-6');

/** What helps to read a conversation that has more than a greeting; it comes with the first answer. */
export class Reading implements PanelReading {
  readonly #dispatch: PanelHost['dispatch'];
  readonly #panel: ReadingPanel;
  readonly #badge: UnreadBadge;
  readonly #sentences = new NewSentences();
  readonly #known = new Map<string, Known>();
  readonly #ratings = new Map<string, Rating>();
  #language = '';
  /** The messages that a hand and the focus are on. */
  #hovered: string | undefined;
  #focused: string | undefined;
  /** How many messages of others the visitor has seen, and the first that was not. */
  #seen: number | undefined;
  #firstNew: string | undefined;
  #unseen = 0;

  constructor({ launcher, dispatch }: PanelHost, panel: ReadingPanel) {
    this.#dispatch = dispatch;
    this.#panel = panel;
    this.#badge = new UnreadBadge(launcher);
    panel.announcer.sentences = (answer, isComplete) =>
      this.#sentences.take(answer, isComplete, performance.now(), this.#language);
    // They end with the panel, whose own elements they are on.
    const { container } = panel;
    container.addEventListener('pointerover', this.#onPointer);
    container.addEventListener('pointerleave', this.#onPointer);
    container.addEventListener('focusin', this.#onFocus);
    container.addEventListener('focusout', this.#onFocus);
    container.addEventListener('keydown', this.#onKey);
    this.#hovered = keyOf(container.querySelector('li[data-key]:hover'));
    this.#focused = keyOf(container.querySelector('li[data-key]:focus-within'));
    this.#wakeTools();
  }

  readonly details = (model: PanelModel): readonly MessageDetails[] => {
    const { locale, options, snapshot, now } = model;
    this.#language = locale.language;
    this.#count(model);
    const today = startOfDay(now);
    return snapshot.messages.map((message, index) => {
      const previous = snapshot.messages[index - 1];
      const { key } = message;
      const isFirstNew = key === this.#firstNew;
      const isActive = key === this.#hovered || key === this.#focused;
      const tools = isActive && this.#hasTools(message) ? model.late.get('messageTools') : undefined;
      const rating = this.#ratings.get(key) ?? null;
      const basis = [message, previous, isFirstNew, isActive, tools, rating, today, locale, options];
      const known = this.#known.get(key);
      if (known?.basis.every((value, at) => value === basis[at])) return known.details;
      const rate = (next: Rating): void => {
        this.#rate(message, next);
      };
      const around = {
        previous,
        isFirstNew,
        isActive,
        tools: tools?.messageTools(model, message, rating, rate) ?? nothing,
      };
      const details = messageSurroundings(model, message, around);
      this.#known.set(key, { basis, details });
      return details;
    });
  };

  readonly latest = ({ locale }: PanelModel): unknown => {
    const { follow } = this.#panel;
    if (follow.isAtEnd) return nothing;
    const texts = allTexts(locale);
    return html`<div class="latest">
      <button type="button" part="latest-button" @click=${this.#goToEnd}>
        ${downIcon} ${this.#unseen > 0 ? plural(texts.unread, this.#unseen, locale.language) : texts.latest}
      </button>
    </div>`;
  };

  /** Call after each drawing. */
  after({ snapshot, actions }: PanelModel): void {
    const { announcer, container, follow } = this.#panel;
    if (snapshot.messages.at(-1)?.status === 'streaming') announcer.announce(container, false);
    if (snapshot.unread > 0 && follow.isAtEnd && !document.hidden) actions.markRead();
  }

  /** Says on the launcher how much is unread. */
  showUnread(count: number, locale: Locale | undefined): void {
    if (locale === undefined) return;
    const { unread } = allTexts(locale);
    this.#badge.show(count, plural(unread, count, locale.language));
  }

  /** Counts what comes while the reader is further up, and marks where it begins. */
  #count({ snapshot: { messages, unread } }: PanelModel): void {
    const others = messages.filter(({ role }) => role !== 'user');
    const isReading = this.#panel.follow.isAtEnd && !document.hidden;
    if (isReading && unread === 0) this.#seen = others.length;
    const seen = (this.#seen = Math.min(this.#seen ?? Infinity, others.length - unread));
    const before = this.#unseen;
    this.#unseen = others.length - seen;
    if (before === 0 && this.#unseen > 0) this.#firstNew = others[seen]?.key;
    // Whoever answers has read.
    if (messages.at(-1)?.role === 'user') this.#firstNew = undefined;
  }

  #hasTools({ role, status }: Message): boolean {
    return role !== 'system' && (status === 'done' || status === 'sent');
  }

  #rate(message: Message, rating: Rating): void {
    this.#ratings.set(message.key, rating);
    this.#dispatch('chat-rating', { text: message.text, rating });
    this.#panel.draw();
  }

  readonly #goToEnd = (): void => {
    const { container, draw, follow } = this.#panel;
    follow.goToEnd();
    // The button goes away; on phones the keyboard must not come instead.
    container.querySelector<HTMLElement>('[role="log"]')?.focus({ preventScroll: true });
    draw();
  };

  readonly #onPointer = ({ type, target, pointerType }: PointerEvent): void => {
    // A finger has no place between two taps: there the focus counts.
    if (pointerType === 'touch') return;
    const hovered = type === 'pointerleave' ? undefined : keyOf(target);
    if (hovered === this.#hovered) return;
    this.#hovered = hovered;
    this.#wakeTools();
  };

  readonly #onFocus = ({ type, target, relatedTarget }: FocusEvent): void => {
    const focused = keyOf(type === 'focusin' ? target : relatedTarget);
    if (focused === this.#focused) return;
    this.#focused = focused;
    this.#wakeTools();
  };

  readonly #onKey = (event: KeyboardEvent): void => {
    const log = (event.target as Element).closest<HTMLElement>('[role="log"]');
    if (log === null || !walkLog(log, event)) return;
    event.preventDefault();
    // Escape closes the panel only from outside the messages.
    event.stopPropagation();
  };

  #wakeTools(): void {
    if (this.#hovered !== undefined || this.#focused !== undefined)
      void this.#panel.late.load('messageTools');
    this.#panel.draw();
  }
}

/** The key of the message that an element belongs to. */
function keyOf(target: EventTarget | null): string | undefined {
  return target instanceof Element ? target.closest<HTMLElement>('li[data-key]')?.dataset['key'] : undefined;
}
