/** Distance from the end, in CSS pixels, that still counts as the end. */
const tolerance = 24;

/**
 * Keeps the scroll position at a message while content is inserted above it. Scroll anchoring does the same, but not at
 * the very top of a scroll container, and not in every browser.
 */
export class ScrollAnchor {
  readonly #log: Element;
  /** The message at the log's upper edge, and its distance from there. */
  #anchor: { readonly element: Element; readonly top: number } | undefined;

  constructor(log: Element) {
    this.#log = log;
    if (CSS.supports('overflow-anchor', 'auto')) return;
    // Off-screen messages have an estimated size until they come near the viewport.
    log.addEventListener('scroll', this.capture);
    const sizes = new ResizeObserver(this.restore);
    for (const part of log.children) sizes.observe(part);
  }

  /** Stores the message at the log's upper edge. At the end of the log, there is none. */
  readonly capture = (): void => {
    const { scrollTop, scrollHeight, clientHeight } = this.#log;
    const { top } = this.#log.getBoundingClientRect();
    const isBelow = (element: Element): boolean => element.getBoundingClientRect().bottom > top;
    const isAtEnd = scrollHeight - scrollTop - clientHeight < tolerance;
    // Page by page: measuring off-screen messages would force their layout.
    const pages = isAtEnd ? [] : [...this.#log.querySelectorAll('.page:has(article)')];
    const element = [...(pages.find(isBelow)?.querySelectorAll('article') ?? [])].find(isBelow);
    this.#anchor = element && { element, top: element.getBoundingClientRect().top - top };
  };

  /** Scrolls that message back to where it was. */
  readonly restore = (): void => {
    const anchor = this.#anchor;
    if (!anchor?.element.isConnected) return;
    const { top } = this.#log.getBoundingClientRect();
    const moved = anchor.element.getBoundingClientRect().top - top - anchor.top;
    if (Math.abs(moved) >= 1) this.#log.scrollTop += moved;
  };
}
