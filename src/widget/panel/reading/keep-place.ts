/** How far from the end a reader is kept there, in CSS pixels. */
const tolerance = 24;

/**
 * Keeps the scroll position at a message while content is inserted above it. Scroll anchoring does the same, but not at
 * the very top of a scroll container, and not in every browser.
 */
export class KeepPlace {
  readonly #log: Element;
  /** The message at the log's upper edge, and how far it is from there. */
  #place: { readonly element: Element; readonly top: number } | undefined;

  constructor(log: Element) {
    this.#log = log;
    if (CSS.supports('overflow-anchor', 'auto')) return;
    // Messages out of sight have an estimated size; they get their own when they come near.
    log.addEventListener('scroll', this.take);
    const sizes = new ResizeObserver(this.restore);
    for (const part of log.children) sizes.observe(part);
  }

  /** Stores the message at the top of the view. */
  readonly take = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    const { top } = this.#log.getBoundingClientRect();
    const isBelow = (element: Element): boolean => element.getBoundingClientRect().bottom > top;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < tolerance;
    // Page by page: measuring messages out of sight would force their layout.
    const pages = isAtEnd ? [] : [...this.#log.querySelectorAll('.page:has(article)')];
    const element = [...(pages.find(isBelow)?.querySelectorAll('article') ?? [])].find(isBelow);
    this.#place = element && { element, top: element.getBoundingClientRect().top - top };
  };

  /** Scrolls that message back to where it was. */
  readonly restore = (): void => {
    const place = this.#place;
    if (!place?.element.isConnected) return;
    const { top } = this.#log.getBoundingClientRect();
    const moved = place.element.getBoundingClientRect().top - top - place.top;
    if (Math.abs(moved) >= 1) this.#log.scrollTop += moved;
  };
}
