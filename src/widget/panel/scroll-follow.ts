/** How far from the end a reader still counts as being there: less than one line, in CSS pixels. */
const tolerance = 24;

/** Keeps a growing log at its end, but only for a reader who is there: whoever scrolled up is left in peace. */
export class ScrollFollow {
  isAtEnd = true;
  #log: Element | undefined;
  readonly #onMove: () => void;
  /** Messages get their final height when they come into view, images when they have come. */
  readonly #sizes = new ResizeObserver(() => {
    this.keep();
  });

  /** @param onMove is called when the reader leaves the end or comes back to it */
  constructor(onMove: () => void) {
    this.#onMove = onMove;
  }

  /** Call after the log changed. */
  after(log: Element): void {
    if (this.#log !== log) {
      this.#log = log;
      log.addEventListener('scroll', this.#onScroll);
      for (const part of [log, ...log.children]) this.#sizes.observe(part);
    }
    this.keep();
  }

  /** Whoever sends a message wants to see it. */
  goToEnd(): void {
    this.isAtEnd = true;
    this.keep();
  }

  keep(): void {
    if (this.isAtEnd && this.#log) this.#log.scrollTop = this.#log.scrollHeight;
  }

  readonly #onScroll = (): void => {
    const { scrollHeight, scrollTop, clientHeight } = this.#log as Element;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < tolerance;
    // While it is hidden it has no size, and no reader.
    if (clientHeight === 0 || isAtEnd === this.isAtEnd) return;
    this.isAtEnd = isAtEnd;
    this.#onMove();
  };
}
