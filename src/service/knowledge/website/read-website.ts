import { setTimeout as delay } from 'node:timers/promises';
import type { FetchGuarded } from '../../outgoing/fetch-guarded.ts';
import { OutgoingError } from '../../outgoing/outgoing-error.ts';
import type { ExtractionThread } from '../extract/extraction-thread.ts';
import { ExtractionError } from '../extract/extraction-error.ts';
import { asSentence } from './as-sentence.ts';
import { readPage } from './read-page.ts';
import { readRobots } from './robots.ts';
import type { RobotsRules } from './robots.ts';

/** Where a website is read from. */
export interface WebsiteSource {
  links: string[];
  /** Pages that are followed from each of them. */
  relativeLinksLimit: number;
}

/** Pages of one document, in all. */
const pageLimit = 200;

/** After so many milliseconds no further page is begun; what has been read counts. */
const patienceMs = 300_000;

/**
 * Reads the pages that are named, and as many as allowed of those that they link to on the same origin, nearest first,
 * as far as the robots.txt of the origin permits it.
 *
 * @param isLastTry whether what can be had now has to do, though named pages are missing that may be there next time.
 * @throws ExtractionError if none of them has a text; OutgoingError if one that is named cannot be had now.
 */
export async function readWebsite(
  { links, relativeLinksLimit }: WebsiteSource,
  fetch: FetchGuarded,
  thread: ExtractionThread,
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<string> {
  const robots = new Map<string, Promise<RobotsRules>>();
  const seen = new Set<string>();
  const texts: string[] = [];
  const failures: unknown[] = [];
  const deadline = performance.now() + patienceMs;
  const isOver = () => seen.size >= pageLimit || performance.now() > deadline;

  const rulesOf = (url: string): Promise<RobotsRules> => {
    const { origin } = new URL(url);
    const rules = robots.get(origin) ?? readRobots(fetch, origin, signal);
    robots.set(origin, rules);
    return rules;
  };
  /** Reads one page; answers where it really is and what it links to. */
  const visit = async (url: string): Promise<{ origin: string; links: string[] } | undefined> => {
    try {
      const admit = async (hop: string) => {
        if (hop !== url && seen.has(hop)) return false;
        seen.add(hop);
        if ((await rulesOf(hop)).allows(hop)) return true;
        throw new ExtractionError('The robots.txt of the website does not allow its pages to be read.');
      };
      const page = await readPage(fetch, url, admit, signal);
      if (!page) return undefined;
      const { markdown, links } = await thread.run({ type: 'page', html: page.html, url: page.url }, signal);
      if (markdown !== '') texts.push(markdown);
      const { pauseMs } = await rulesOf(page.url);
      if (pauseMs > 0) await delay(pauseMs, undefined, { signal });
      return { origin: new URL(page.url).origin, links };
    } catch (error) {
      signal.throwIfAborted();
      failures.push(error);
      return undefined;
    }
  };

  for (const start of links.map(withoutFragment)) {
    if (seen.has(start) || isOver()) continue;
    seen.add(start);
    const first = await visit(start);
    if (!first) {
      const failure = failures.at(-1);
      if (!isLastTry && isPassing(failure)) throw failure;
      continue;
    }
    const waiting = [...first.links];
    for (let followed = 0; followed < relativeLinksLimit && !isOver();) {
      const next = waiting.shift();
      if (next === undefined) break;
      if (seen.has(next) || new URL(next).origin !== first.origin) continue;
      seen.add(next);
      const read = await visit(next);
      if (!read) continue;
      followed++;
      waiting.push(...read.links);
    }
  }
  if (texts.length > 0) return texts.join('\n\n');
  throw reasonOf(failures);
}

/** What is worth another try comes first. */
function reasonOf(failures: unknown[]): unknown {
  const passing = failures.find(isPassing);
  if (passing !== undefined) return passing;
  const [first] = failures;
  if (first instanceof OutgoingError) return new ExtractionError(asSentence(first.message), { cause: first });
  return first ?? new ExtractionError('The website has no text.');
}

const isPassing = (error: unknown) =>
  error instanceof OutgoingError && (error.code === 'timeout' || error.code === 'unreachable');

function withoutFragment(url: string): string {
  const parsed = new URL(url);
  parsed.hash = '';
  return parsed.href;
}
