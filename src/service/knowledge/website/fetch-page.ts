import { recordLimits } from '../../../contract/limits.ts';
import { resolveLocation } from '../../outgoing/follow-redirect.ts';
import { OutgoingError } from '../../outgoing/outgoing-error.ts';
import type { FetchGuarded, OutgoingAnswer } from '../../outgoing/fetch-guarded.ts';
import { ExtractionError } from '../extract/extraction-error.ts';

/** A page as its server sent it. */
export interface FetchedPage {
  /** Its address after redirects. */
  url: string;
  bytes: Uint8Array;
  contentType: string | null;
  /** The directives of its `X-Robots-Tag` for this crawler. */
  robots: string;
}

const productToken = 'voice-assistant-chat';

/** The `User-Agent` of the service's requests to websites. */
export const userAgent = `${productToken}/0.1 (knowledge base)`;

/** Longest page, in bytes. */
const maxBytes = 5 * 1024 * 1024;

/** Longest robots.txt, in bytes: the minimum that RFC 9309 requires. The rest is ignored. */
const maxRobotsBytes = 512_000;

const maxRedirects = 5;

/**
 * Fetches a page of a website.
 *
 * @param isAllowed called with each address before it is requested, including redirects.
 * @returns undefined if an address is not allowed.
 * @throws ExtractionError if there is no page with text; OutgoingError; errors of `isAllowed`.
 */
export async function fetchPage(
  fetch: FetchGuarded,
  url: string,
  isAllowed: (url: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<FetchedPage | undefined> {
  const answer = await followRedirects(fetch, url, isAllowed, signal);
  if (!answer) return undefined;
  const { status } = answer;
  if (status === 404 || status === 410) throw new ExtractionError('The website has no such page.');
  if (status < 200 || status > 299)
    throw new ExtractionError(`The website answered with the status ${status}.`);
  const contentType = answer.headers.get('Content-Type');
  if (!/^\s*(text\/html|application\/xhtml\+xml|text\/plain)\b/i.test(contentType ?? 'text/html'))
    throw new ExtractionError('The address does not lead to a page with text.');
  const robots = directivesForUs([answer.rawHeaders['x-robots-tag'] ?? []].flat());
  return { url: answer.url, bytes: answer.body, contentType, robots };
}

/**
 * Removes the directives for other bots from the values of `X-Robots-Tag`: those after a bot's name, up to the next name
 * or the end of the value.
 */
function directivesForUs(values: string[]): string {
  const directives = values.flatMap((value) => {
    let isForUs = true;
    return value.split(',').flatMap((part) => {
      const [, bot, directive] = /^\s*(?!max-|unavailable_after)(\*|[a-z][\w.-]*)\s*:(.*)$/i.exec(part) ?? [];
      if (bot !== undefined) isForUs = ['*', productToken].includes(bot.toLowerCase());
      return isForUs ? (directive ?? part) : [];
    });
  });
  return directives.join(',');
}

/**
 * Follows redirects itself, unlike other outgoing requests: the robots.txt must allow each address before it is
 * requested.
 */
async function followRedirects(
  fetch: FetchGuarded,
  url: string,
  isAllowed: (url: string) => Promise<boolean>,
  signal: AbortSignal,
): Promise<OutgoingAnswer | undefined> {
  let current = url;
  for (let redirects = 0; redirects <= maxRedirects; redirects++) {
    if (!(await isAllowed(current))) return undefined;
    const answer = await fetch(current, {
      headers: { 'User-Agent': userAgent, Accept: 'text/html, application/xhtml+xml, text/plain;q=0.5' },
      timeoutMs: 20_000,
      maxBytes,
      maxRedirects: 0,
      signal,
    });
    throwIfUnavailable(answer.status);
    const location = answer.status >= 300 && answer.status <= 399 ? answer.headers.get('Location') : null;
    if (location === null) return answer;
    const next = location.length > recordLimits.url ? null : resolveLocation(location, current);
    if (!next) throw new ExtractionError('The website redirects to an invalid address.');
    next.hash = '';
    current = next.href;
  }
  throw new ExtractionError(`The website redirects more than ${maxRedirects} times.`);
}

/**
 * Fetches the robots.txt of an origin. Returns an empty text, which allows everything, if there is none.
 *
 * @throws OutgoingError if the server fails to answer: then nothing is allowed.
 */
export async function fetchRobots(fetch: FetchGuarded, origin: string, signal: AbortSignal): Promise<string> {
  const { status, text } = await fetch(`${origin}/robots.txt`, {
    headers: { 'User-Agent': userAgent },
    maxBytes: maxRobotsBytes,
    incompleteBody: 'cut',
    maxRedirects: 5,
    signal,
  });
  throwIfUnavailable(status);
  return status >= 200 && status < 300 ? text : '';
}

/** Throws a temporary error for the statuses of an overloaded or broken server. */
function throwIfUnavailable(status: number): void {
  if (status < 500 && status !== 408 && status !== 425 && status !== 429) return;
  throw new OutgoingError('unreachable', `the website answered with the status ${status}`);
}
