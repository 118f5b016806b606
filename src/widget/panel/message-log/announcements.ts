import type { Locale } from '../../texts/texts.ts';
import type { PanelContext } from '../panel-context.ts';
import { NewSentences } from './new-sentences.ts';
import { unreadText } from './unread-text.ts';

/** Milliseconds between two announcements of a growing answer. */
const pause = 300;

/** Announces received messages to screen readers. */
export class Announcements {
  readonly #panel: PanelContext;
  readonly #sentences = new NewSentences();
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(panel: PanelContext) {
    this.#panel = panel;
  }

  /** Announces the complete sentences of a growing answer after a pause. */
  announceSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (!this.#panel.container.hidden) this.announce(false);
    }, pause);
  }

  /**
   * Announces the new text of the last answers.
   *
   * @param isComplete whether the answers are complete; otherwise, their complete sentences are announced
   * @param count of answers, since several may arrive together
   */
  announce(isComplete: boolean, count = 1): void {
    const { container } = this.#panel;
    // Not in one query: that would search the whole history.
    const lines = [...container.querySelectorAll('.page:has(> .assistant)')]
      .slice(-count)
      .flatMap((page) => [...page.querySelectorAll('.assistant > article > :last-child')])
      .slice(-count)
      .flatMap((answer) => this.#newText(answer, isComplete) || []);
    this.#say(lines, isComplete);
  }

  /** Announces the number of unread messages, while the panel is hidden. Nothing talks over a call. */
  announceUnread(): void {
    const { unread, call } = this.#panel.conversation.snapshot;
    if (unread > 0 && !call) this.#say([unreadText(unread, this.#panel.locale as Locale)], true);
  }

  #say(lines: readonly string[], isComplete: boolean): void {
    const { announcer } = this.#panel;
    if (!lines[0]) return;
    if (announcer.isComplete) announcer.element.replaceChildren();
    for (const text of lines) announcer.say(text);
    announcer.isComplete = isComplete;
  }

  #newText(answer: Element, isComplete: boolean): string {
    const text = this.#sentences.take(answer, isComplete, (this.#panel.locale as Locale).language);
    // The name of a person; the assistant is announced without one.
    const author = answer.parentElement?.querySelector('[part=message-author]')?.textContent;
    return author && text ? `${author}: ${text}` : text;
  }

  /** Call when the element is disconnected. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
