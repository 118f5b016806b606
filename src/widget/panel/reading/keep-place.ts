/** How far from the end a reader is kept there, in CSS pixels. */
const tolerance = 24;

/**
 * Keeps what is read where it is while something comes above it. Browsers do that by themselves, but not at the very
 * top of what scrolls, and some not at all.
 */
export class KeepPlace {
  readonly #log: Element;
  /** The message at the log's upper edge, and how far it is from there. */
  #place: { readonly element: Element; readonly top: number } | undefined;

  constructor(log: Element) {
    this.#log = log;
    if (CSS.supports('overflow-anchor', 'auto')) return;
    // Messages out of sight have a size that was guessed; they get their own when they come near.
    log.addEventListener('scroll', this.take);
    const sizes = new ResizeObserver(this.restore);
    for (const part of log.children) sizes.observe(part);
  }

  /** Notes what is read now. */
  readonly take = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    const { top } = this.#log.getBoundingClientRect();
    const isBelow = (element: Element): boolean => element.getBoundingClientRect().bottom > top;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < tolerance;
    // Page by page: asking messages of pages out of sight would lay them all out.
    const pages = isAtEnd ? [] : [...this.#log.querySelectorAll('.page:has(article)')];
    const element = [...(pages.find(isBelow)?.querySelectorAll('article') ?? [])].find(isBelow);
    this.#place = element && { element, top: element.getBoundingClientRect().top - top };
  };

  /** Brings it back to where it was. */
  readonly restore = (): void => {
    const place = this.#place;
    if (!place?.element.isConnected) return;
    const { top } = this.#log.getBoundingClientRect();
    const moved = place.element.getBoundingClientRect().top - top - place.top;
    if (Math.abs(moved) >= 1) this.#log.scrollTop += moved;
  };
}
