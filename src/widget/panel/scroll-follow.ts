/** How far from the end a reader still counts as being there: less than one line, in CSS pixels. */
const tolerance = 24;

/** Keeps a growing log at its end, but only for a reader who is there: whoever scrolled up is left in peace. */
export class ScrollFollow {
  #isAtEnd = true;

  /** Call before the log changes. */
  before(log: Element | null): void {
    if (log === null) return;
    this.#isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < tolerance;
  }

  /** Call after the log changed. */
  after(log: Element | null): void {
    if (this.#isAtEnd && log !== null) log.scrollTop = log.scrollHeight;
  }

  /** Whoever sends a message wants to see it. */
  goToEnd(log: Element | null): void {
    if (log !== null) log.scrollTop = log.scrollHeight;
  }
}
