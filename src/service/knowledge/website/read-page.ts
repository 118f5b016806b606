import type { FetchGuarded } from '../../outgoing/fetch-guarded.ts';
import { userAgent } from './robots.ts';

/** A page as it came. */
export interface Page {
  /** Where it came from, after redirects. */
  url: string;
  html: string;
}

/** Longest page, in bytes. */
const maxBytes = 5 * 1024 * 1024;

/**
 * Gets a page of a website; undefined if there is none, or nothing that has a text.
 *
 * @throws OutgoingError
 */
export async function readPage(
  fetch: FetchGuarded,
  url: string,
  signal: AbortSignal,
): Promise<Page | undefined> {
  const answer = await fetch(url, {
    headers: { 'User-Agent': userAgent, Accept: 'text/html, application/xhtml+xml, text/plain;q=0.5' },
    timeoutMs: 20_000,
    maxBytes,
    maxRedirects: 5,
    signal,
  });
  if (answer.status < 200 || answer.status > 299) return undefined;
  const type = answer.headers.get('Content-Type') ?? 'text/html';
  const [, kind] = /^\s*(text\/html|application\/xhtml\+xml|text\/plain)\b/i.exec(type) ?? [];
  if (kind === undefined) return undefined;
  const text = decode(answer.body, type);
  return { url: answer.url, html: kind.toLowerCase() === 'text/plain' ? asHtml(text) : text };
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
