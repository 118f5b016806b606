import { parseHTML } from 'linkedom';

/** As much of an element as is needed here; the service's code knows no DOM. */
export interface PageElement {
  textContent: string | null;
  innerHTML: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

/** A parsed page. */
export interface PageDocument extends PageElement {
  body: PageElement;
}

/** Parses HTML. Nothing in it is run or loaded. */
export function parsePage(html: string): PageDocument {
  // Without a root the parser takes the first element for one.
  const whole = /<html[\s>]/i.test(html) ? html : `<!doctype html><html><body>${html}</body></html>`;
  return (parseHTML as unknown as (html: string) => { document: PageDocument })(whole).document;
}
