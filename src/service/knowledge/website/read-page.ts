import type { FetchGuarded, OutgoingAnswer } from '../../outgoing/fetch-guarded.ts';
import { ExtractionError } from '../extract/extraction-error.ts';
import { refuseForNow } from './refuse-for-now.ts';
import { userAgent } from './robots.ts';

/** A page as it came. */
export interface Page {
  /** Where it came from, after redirects. */
  url: string;
  html: string;
}

/** Longest page, in bytes. */
const maxBytes = 5 * 1024 * 1024;

const maxRedirects = 5;

/**
 * Gets a page of a website.
 *
 * @param admit is asked of each address before it is requested, those of redirects too.
 * @returns undefined if an address is not admitted.
 * @throws ExtractionError if there is no page with a text; OutgoingError; what `admit` throws.
 */
export async function readPage(
  fetch: FetchGuarded,
  url: string,
  admit: (url: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<Page | undefined> {
  const answer = await follow(fetch, url, admit, signal);
  if (!answer) return undefined;
  const { status } = answer;
  if (status === 404 || status === 410) throw new ExtractionError('The website has no such page.');
  if (status < 200 || status > 299)
    throw new ExtractionError(`The website answered with the status ${status}.`);
  const type = answer.headers.get('Content-Type') ?? 'text/html';
  const [, kind] = /^\s*(text\/html|application\/xhtml\+xml|text\/plain)\b/i.exec(type) ?? [];
  if (kind === undefined) throw new ExtractionError('The address leads to no page with a text.');
  const text = decode(answer.body, type);
  return { url: answer.url, html: kind.toLowerCase() === 'text/plain' ? asHtml(text) : text };
}

async function follow(
  fetch: FetchGuarded,
  url: string,
  admit: (url: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<OutgoingAnswer | undefined> {
  let at = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    if (!(await admit(at))) return undefined;
    const answer = await fetch(at, {
      headers: { 'User-Agent': userAgent, Accept: 'text/html, application/xhtml+xml, text/plain;q=0.5' },
      timeoutMs: 20_000,
      maxBytes,
      maxRedirects: 0,
      signal,
    });
    refuseForNow(answer.status);
    const location = answer.status >= 300 && answer.status <= 399 ? answer.headers.get('Location') : null;
    if (location === null) return answer;
    const next = URL.parse(location, at);
    if (!next) throw new ExtractionError('The website redirects to what is no address.');
    next.hash = '';
    at = next.href;
  }
  throw new ExtractionError(`The website redirects more than ${maxRedirects} times.`);
}

/** By the charset of the header, else of the page's beginning, else UTF-8. */
function decode(body: Uint8Array, type: string): string {
  const start = new TextDecoder('latin1').decode(body.subarray(0, 2048));
  const [, label = 'utf-8'] =
    /charset\s*=\s*["']?([\w-]+)/i.exec(type) ?? /<meta[^>]+charset\s*=\s*["']?([\w-]+)/i.exec(start) ?? [];
  try {
    return new TextDecoder(label).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

const asHtml = (text: string) =>
  `<body><pre>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</pre></body>`;
