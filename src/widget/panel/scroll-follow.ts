/** Distance from the end, in CSS pixels, that still counts as the end: less than one line. */
const tolerance = 24;

/** Keeps a growing log scrolled to its end, unless the reader has scrolled up, and the reader's position when it moves. */
export class ScrollFollow {
  isAtEnd = true;
  #log: Element | undefined;
  #scrollTop = 0;
  readonly #onMove: () => void;
  /**
   * Messages get their final height when they scroll into view, images when they have loaded. Scrolls in the next frame:
   * when this is called, scrolling brings other messages into view, and browsers report an observed element that
   * changes size then as an error of the page (`ResizeObserver loop`). In the next frame it is also known whether the
   * reader has just scrolled up.
   */
  readonly #sizes = new ResizeObserver(() => {
    requestAnimationFrame(() => {
      this.keep();
    });
  });

  /** @param onMove called when the reader scrolls away from the end or back to it */
  constructor(onMove: () => void) {
    this.#onMove = onMove;
  }

  /** Call after the log changed. */
  afterRender(log: Element): void {
    if (this.#log !== log) {
      this.#log = log;
      log.addEventListener('scroll', this.#onScroll);
      for (const part of [log, ...log.children]) this.#sizes.observe(part);
    }
    this.keep();
  }

  /** Scrolls to the end, also for a reader who has scrolled up. */
  goToEnd(): void {
    this.isAtEnd = true;
    this.keep();
  }

  /** Scrolls to the end if the reader was there. A hidden log is not laid out: it gets a size when it is shown. */
  keep(): void {
    const log = this.#log;
    if (!this.isAtEnd || log?.closest('[hidden]') !== null) return;
    log.scrollTop = log.scrollHeight;
    this.#scrollTop = log.scrollTop;
  }

  /** Call after the log was inserted again: browsers forget the scroll position of an element that is moved. */
  restore(): void {
    if (this.#log) this.#log.scrollTop = this.#scrollTop;
    this.keep();
  }

  readonly #onScroll = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = this.#log as Element;
    // A hidden log has no size.
    if (clientHeight === 0) return;
    // Only scrolling up leaves the end: a log that has grown moves away from its end without the reader.
    const hasMovedUp = scrollTop < this.#scrollTop;
    this.#scrollTop = scrollTop;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < tolerance;
    if (isAtEnd === this.isAtEnd || (!isAtEnd && !hasMovedUp)) return;
    this.isAtEnd = isAtEnd;
    this.#onMove();
  };
}
