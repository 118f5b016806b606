import { setTimeout as delay } from 'node:timers/promises';
import type { FetchGuarded } from '../../outgoing/fetch-guarded.ts';
import { OutgoingError } from '../../outgoing/outgoing-error.ts';
import { totalLength } from '../extract/chunk-markdown.ts';
import type { Chunk } from '../extract/chunk-markdown.ts';
import type { Extracted } from '../extract/extract.ts';
import { ExtractionError } from '../extract/extraction-error.ts';
import { extractionLimits } from '../extract/extractor.ts';
import type { Extractor } from '../extract/extractor.ts';
import { fetchPage, fetchRobots, userAgent } from './fetch-page.ts';

/** A website to read. */
export interface WebsiteSource {
  /** Heading of the text before the first heading of a page without a title. */
  name: string;
  /** Start pages. */
  links: string[];
  /** Most pages to follow from each start page. */
  relativeLinksLimit: number;
}

/** Most pages that are requested for one document, redirects included. */
const pageLimit = 200;

/** Most addresses that are checked against the robots.txt for one document. */
const addressLimit = 4000;

/** Time after which no further page is fetched, in milliseconds; the pages so far count. */
const timeLimitMs = 300_000;

/** Longest pause between two pages, even if a robots.txt requests more. */
const maxPauseMs = 5000;

/**
 * Crawls the start pages and the pages of the same origin that they link to, breadth first, as far as the robots.txt of
 * the origin allows.
 *
 * @param isLastTry whether to return an incomplete text, rather than fail because a start page is unavailable.
 * @param onFailure called for each page that cannot be read.
 * @throws ExtractionError if no page has text; OutgoingError if a start page is unavailable.
 */
export async function readWebsite(
  { name, links, relativeLinksLimit }: WebsiteSource,
  fetch: FetchGuarded,
  extractor: Extractor,
  signal: AbortSignal,
  isLastTry: boolean,
  onFailure: (url: string, error: unknown) => void = () => undefined,
): Promise<Extracted> {
  const robots = new Map<string, Promise<string>>();
  const seen = new Set<string>();
  const chunks: Chunk[] = [];
  const texts = new Set<string>();
  let requested = 0;
  let length = 0;
  let isFull = false;
  let sample = '';
  const failures: unknown[] = [];
  const deadline = performance.now() + timeLimitMs;
  const isOver = () =>
    isFull || requested >= pageLimit || seen.size >= addressLimit || performance.now() > deadline;

  const readRobots = async (page: string) => {
    const { origin } = new URL(page);
    const text = robots.get(origin) ?? fetchRobots(fetch, origin, signal);
    robots.set(origin, text);
    return extractor.readRobots({ text: await text, page, userAgent }, signal);
  };
  const add = (extracted: Extracted) => {
    // Addresses with other parameters often lead to the same page.
    const text = JSON.stringify(extracted.chunks);
    if (texts.has(text)) return;
    texts.add(text);
    length += totalLength(extracted.chunks);
    isFull =
      length > extractionLimits.text || chunks.length + extracted.chunks.length > extractionLimits.chunks;
    if (isFull) return;
    chunks.push(...extracted.chunks);
    sample ||= extracted.sample;
  };
  /**
   * Reads a page; returns its origin after redirects, and its links.
   *
   * @param within the only origin that it may redirect to; undefined for a start page.
   * @throws OutgoingError if a start page is unavailable, except in the last try.
   */
  const visit = async (
    url: string,
    within?: string,
  ): Promise<{ origin: string; links: string[] } | undefined> => {
    let pauseMs = 0;
    const isAllowed = async (address: string) => {
      if (address !== url && seen.has(address)) return false;
      if (within !== undefined && new URL(address).origin !== within) return false;
      seen.add(address);
      const answer = await readRobots(address);
      if (answer.isAllowed) {
        requested++;
        pauseMs = Math.min(maxPauseMs, answer.pauseMs);
        return true;
      }
      // Shops forbid many of their links, such as those that add a product to the cart.
      if (within !== undefined) return false;
      throw new ExtractionError('The robots.txt of the website does not allow its pages to be read.');
    };
    try {
      const page = await fetchPage(fetch, url, isAllowed, signal);
      if (!page) return undefined;
      const extracted = await extractor.extract({ type: 'page', name, ...page }, signal);
      add(extracted);
      return { origin: new URL(page.url).origin, links: extracted.links };
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
      onFailure(url, error);
      if (within === undefined && !isLastTry && isTemporary(error)) throw error;
      return undefined;
    } finally {
      // Also after a failure, since the server may be overloaded.
      if (pauseMs > 0 && !signal.aborted) await delay(pauseMs, undefined, { signal });
    }
  };

  for (const start of links.map(withoutFragment)) {
    if (seen.has(start) || isOver()) continue;
    seen.add(start);
    const first = await visit(start);
    if (!first) continue;
    const queue = [...first.links];
    for (let followed = 0; followed < relativeLinksLimit && !isOver();) {
      const next = queue.shift();
      if (next === undefined) break;
      if (seen.has(next) || new URL(next).origin !== first.origin) continue;
      seen.add(next);
      const read = await visit(next, first.origin);
      if (!read) continue;
      followed++;
      queue.push(...read.links);
    }
  }
  if (chunks.length > 0) return { chunks, sample, links: [] };
  throw pickFailure(failures);
}

/** The failure to report for a website without any text: a temporary one, else the first. */
function pickFailure(failures: unknown[]): unknown {
  return failures.find(isTemporary) ?? failures[0] ?? new ExtractionError('The website has no text.');
}

const isTemporary = (error: unknown) => error instanceof OutgoingError && error.isTemporary;

function withoutFragment(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}
