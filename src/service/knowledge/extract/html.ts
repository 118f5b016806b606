import { Readability } from '@mozilla/readability';
import { parseHTML } from 'linkedom';
import TurndownService from 'turndown';
import { recordLimits } from '../../../contract/limits.ts';
import { ExtractionError } from './extraction-error.ts';

/** A page of a website. */
interface Page {
  /** Starts with the title. Empty if the page asks not to be indexed. */
  markdown: string;
  /** The addresses of its links, in order: http and https, without fragments. */
  links: string[];
}

/** Most links of a page. */
const linkLimit = 1000;

/**
 * Most levels of elements, and most attributes of one. Ordinary pages have fewer than 100 and 50. The time of Readability
 * grows with the cube of the levels and the square of the attributes.
 */
const shapeLimits = { levels: 256, attributes: 1000 };

/** Shortest article, in UTF-16 code units. */
const minArticleLength = 200;

/** Elements that are not content, for pages without an article. */
const boilerplate = 'title, script, style, noscript, template, nav, header, footer, aside, svg';

/** Elements that are not for readers. Readability removes all but dialogs from an article. */
const hidden =
  '[hidden], [aria-hidden="true"], [style*="display:none" i], [style*="display: none" i], dialog:not([open])';

/**
 * Reads a page: its title, its article or else its whole content, and its links.
 *
 * @param robots directives for robots, in addition to those in the page.
 */
export function readPage(html: string, url: string, robots: string): Page {
  const document = parse(html);
  checkShape(document);
  const metas = [...document.querySelectorAll('meta[name="robots" i]')];
  const rules = [...metas.map((meta) => meta.getAttribute('content') ?? ''), robots].join(', ');
  const links = prepare(document, url);
  // `none` is also a value, as in `max-image-preview:none`.
  const followed = /\b(?<!:\s*)(nofollow|none)\b/i.test(rules) ? [] : links;
  if (!isIndexed(rules)) return { markdown: '', links: followed };
  const title = (document.querySelector('title')?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const markdown = htmlToMarkdown(
    findContent(document, () => {
      const copy = parse(html);
      prepare(copy, url);
      return copy;
    }),
  );
  return {
    markdown: markdown === '' || title === '' ? markdown : `# ${title}\n\n${markdown}`,
    links: followed,
  };
}

/** Whether directives for robots allow a page to be indexed. */
export const isIndexed = (rules: string): boolean => !/\b(?<!:\s*)(noindex|none)\b/i.test(rules);

/** @throws ExtractionError if a page has too many levels or attributes to read it in time. */
function checkShape({ documentElement: root }: Document): void {
  let level = 0;
  for (let node: Node | null = root; node;) {
    if ((node.attributes?.length ?? 0) > shapeLimits.attributes) {
      const limit = shapeLimits.attributes.toLocaleString('en');
      throw new ExtractionError(`The page has an element with more than ${limit} attributes.`);
    }
    if (node.firstChild) {
      node = node.firstChild;
      level += 1;
      if (level > shapeLimits.levels) throw new ExtractionError('The document is nested too deeply.');
      continue;
    }
    while (node && node !== root && !node.nextSibling) {
      node = node.parentNode;
      level -= 1;
    }
    node = node === root ? null : (node?.nextSibling ?? null);
  }
}

/** Prepares a page for the search for its content. Returns the links to follow. */
function prepare(document: Document, url: string): string[] {
  openPanels(document);
  lowerHeadings(document);
  return resolveLinks(document, url);
}

const headings = 'h1, h2, h3, h4, h5, h6, summary';

/** Attribute with the level of a heading in the Markdown. */
const levelAttribute = 'data-level';

/** Puts the headings of a page below its title. Readability makes `h1` an `h2`, but keeps attributes. */
function lowerHeadings(document: Document): void {
  for (const [index, name] of ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].entries()) {
    for (const heading of document.querySelectorAll(name))
      heading.setAttribute(levelAttribute, String(Math.min(index + 2, 6)));
  }
}

/** Buttons and links that open and close a panel of the page, but not menus and dialogs. */
const controls =
  '[aria-expanded]:not([aria-haspopup]), [role="tab"], [data-bs-toggle="collapse"], [data-bs-toggle="tab"], [data-bs-toggle="pill"]';

/** Elements that a control may open, but that are not content. */
const overlays = 'dialog, nav, [role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';

/** Opens the panels of accordions and tabs, and makes their buttons text: questions, and often answers, are in them. */
function openPanels(document: Document): void {
  const byId = new Map<string, Element>();
  for (const element of document.querySelectorAll('[id]'))
    byId.set(element.getAttribute('id') ?? '', element);
  // Controls without a target have an empty one below.
  byId.delete('');
  const panels = [...document.querySelectorAll('[role="tabpanel"], [role="region"][aria-labelledby]')];
  for (const control of document.querySelectorAll(controls)) {
    const target = control.getAttribute('data-bs-target') ?? control.getAttribute('href') ?? '';
    const ids = [...(control.getAttribute('aria-controls') ?? '').split(/\s+/), target.split('#')[1] ?? ''];
    const named = ids.flatMap((id) => byId.get(id) ?? []);
    const next = (control.closest(headings) ?? control).nextElementSibling;
    panels.push(...(named.length === 0 && next ? [next] : named));
  }
  for (const panel of panels) {
    if (panel.closest(overlays)) continue;
    for (const name of ['hidden', 'aria-hidden', 'style']) panel.removeAttribute(name);
  }
  const buttons = `:is(${headings}) button, button:is(${controls})`;
  for (const button of [...document.querySelectorAll(buttons)]) {
    const heading = button.closest(headings);
    // Other buttons in headings copy a link, for example.
    const isText = heading?.textContent?.trim() === button.textContent?.trim();
    if (!isText && !button.matches(`${controls}, [aria-controls]`)) continue;
    // Readability drops headings with some classes, such as `accordion-header`.
    heading?.removeAttribute('class');
    button.replaceWith(...button.childNodes);
  }
}

/** Makes the links of a page absolute, or text if they are none of the web. Returns the ones to follow. */
function resolveLinks(document: Document, url: string): string[] {
  const base = URL.parse(document.querySelector('base[href]')?.getAttribute('href') ?? '', url)?.href ?? url;
  const found = new Set<string>();
  for (const anchor of [...document.querySelectorAll('a[href]')].slice(0, linkLimit)) {
    const href = anchor.getAttribute('href') ?? '';
    const target = href.length > recordLimits.url ? null : URL.parse(href, base);
    if (target?.protocol !== 'http:' && target?.protocol !== 'https:') {
      if (target) appendContact(anchor, target);
      anchor.removeAttribute('href');
      continue;
    }
    anchor.setAttribute('href', target.href);
    target.hash = '';
    const isFollowed = !/\bnofollow\b/i.test(anchor.getAttribute('rel') ?? '');
    if (isFollowed && target.href.length <= recordLimits.url) found.add(target.href);
  }
  return [...found];
}

/** Appends the e-mail address or phone number that a link leads to, unless its text contains it. */
function appendContact(anchor: Element, { protocol, pathname }: URL): void {
  if (protocol !== 'mailto:' && protocol !== 'tel:') return;
  const text = anchor.textContent ?? '';
  const address = safeDecode(pathname).trim();
  const isShown =
    protocol === 'mailto:'
      ? text.toLowerCase().includes(address.toLowerCase())
      : // Texts often lack the country code.
        digitsOf(text).includes(digitsOf(address).slice(-6));
  if (!isShown) anchor.append(text.trim() === '' ? address : ` (${address})`);
}

const digitsOf = (text: string): string => text.replace(/\D/g, '');

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Finds the article of a page, or everything except boilerplate if there is none. */
function findContent(document: Document, copy: () => Document): string {
  const article = new Readability<string>(document, { charThreshold: minArticleLength }).parse();
  if (article?.content && (article.textContent?.trim().length ?? 0) >= minArticleLength)
    return article.content;
  // Readability has modified the document.
  const { body } = copy();
  for (const element of body.querySelectorAll(boilerplate)) element.remove();
  const half = lengthOf(body) / 2;
  // In ASP.NET, one form contains the whole page.
  for (const form of body.querySelectorAll('form')) if (lengthOf(form) < half) form.remove();
  // Scripts may show a page that starts hidden, or the answers of its questions.
  const outermost = [...body.querySelectorAll(hidden)].filter((each) => !each.parentElement?.closest(hidden));
  const hiddenLength = outermost.reduce((sum, element) => sum + lengthOf(element), 0);
  if (hiddenLength < half) for (const element of outermost) element.remove();
  return body.innerHTML;
}

const lengthOf = ({ textContent }: Element): number => textContent?.length ?? 0;

/** The members of an element that are used here; the service is compiled without DOM types. */
interface Element extends Node {
  append(node: Node | string): void;
  textContent: string | null;
  innerHTML: string;
  localName: string;
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  remove(): void;
  matches(selector: string): boolean;
  closest(selector: string): Element | null;
  replaceWith(...nodes: Node[]): void;
  nextElementSibling: Element | null;
  parentElement: Element | null;
  childNodes: Iterable<Node>;
  querySelector(selector: string): Element | null;
  querySelectorAll(selector: string): Iterable<Element>;
}

interface Document extends Element {
  documentElement: Node;
  head: Element;
  body: Element;
}

interface Node {
  /** 1 for elements, 3 for text. */
  nodeType: number;
  attributes?: { length: number };
  firstChild: Node | null;
  nextSibling: Node | null;
  parentNode: Node | null;
}

/** Elements of a head. */
const headElements = 'title, base, meta, link, style, script';

/**
 * Parses HTML. No script runs and nothing is loaded. The tags of `html`, `head` and `body` may be missing, and this parser
 * does not add them, so all that is in them, or should be, moves into those of an empty document.
 */
function parse(html: string): Document {
  const { document } = parseHTML('<!doctype html><html><head></head><body></body></html>') as unknown as {
    document: Document;
  };
  const { head, body } = document;
  const move = (nodes: Iterable<Node>) => {
    for (const node of [...nodes]) {
      const element = node.nodeType === 1 ? (node as Element) : undefined;
      if (element?.matches('html, head, body') === true) move(element.childNodes);
      else if (element?.matches(headElements) === true) head.append(element);
      else if (element || node.nodeType === 3) body.append(node);
    }
  };
  move((parseHTML(html) as unknown as { document: Document }).document.childNodes);
  return document;
}

const turndown = new TurndownService({
  headingStyle: 'atx',
  codeBlockStyle: 'fenced',
  bulletListMarker: '-',
});
// Addresses stay as they are, and "_" means nothing within a word.
turndown.escape = (text) =>
  TurndownService.prototype
    .escape(text)
    .replace(/\S+/g, (word) =>
      /https?:|www\.|@/i.test(word)
        ? word.replace(/\\(.)/g, '$1')
        : word.replace(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_'),
    );
turndown.remove(['script', 'style', 'noscript', 'template', 'iframe', 'button', 'select', 'textarea']);
turndown.addRule('images', {
  filter: ['img', 'picture', 'video', 'audio', 'canvas'],
  replacement: () => '',
});
turndown.addRule('headings', {
  filter: ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
  replacement: (content, node) => {
    const heading = node as unknown as Element;
    const level = heading.getAttribute(levelAttribute) ?? heading.localName.slice(1);
    return `\n\n${'#'.repeat(Number(level))} ${content}\n\n`;
  },
});
// Blocks in browsers, but not in this library.
turndown.addRule('blocks', {
  filter: ['details', 'summary', 'legend'],
  replacement: (content) => `\n\n${content}\n\n`,
});
// Otherwise an old price would look like the current one. Three tildes would start a code block.
turndown.addRule('deletions', {
  filter: ['del', 's', 'strike'],
  replacement: (content) => content.replaceAll('~', '').replace(/\S(?:.*\S)?/s, '~~$&~~'),
});
// One line per row, so that a search finds the cells of a row together.
turndown.addRule('cells', {
  filter: ['th', 'td'],
  replacement: (content, node) => {
    const cell = content.split('\n').map((line) => line.trim());
    const isLast = (node as unknown as { nextSibling: unknown }).nextSibling === null;
    return `${cell.filter((line) => line !== '').join(' ')}${isLast ? '' : ' | '}`;
  },
});
turndown.addRule('rows', { filter: 'tr', replacement: (content) => `${content.trim()}\n` });

/** Converts HTML to Markdown, without elements that have no text. */
export const htmlToMarkdown = (html: string): string => turndown.turndown(html).trim();
