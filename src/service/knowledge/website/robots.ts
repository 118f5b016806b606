import robotsParserModule from 'robots-parser';
import type { FetchGuarded } from '../../outgoing/fetch-guarded.ts';
import { refuseForNow } from './refuse-for-now.ts';

// Its types describe an ES module, and it is none.
const robotsParser = robotsParserModule as unknown as typeof robotsParserModule.default;

/** How the service names itself to the servers of websites. */
export const userAgent = 'voice-assistant-chat/0.1 (knowledge base)';

/** Whether a page of an origin may be read, and how long to wait between two of them, in milliseconds. */
export interface RobotsRules {
  allows(url: string): boolean;
  pauseMs: number;
}

/** A site may ask for more, and does not get it: that many pages would take a day. */
const longestPauseMs = 5000;

/**
 * Reads the robots.txt of an origin (RFC 9309). Without one everything may be read; while the server fails to say,
 * nothing.
 *
 * @throws OutgoingError
 */
export async function readRobots(
  fetch: FetchGuarded,
  origin: string,
  signal: AbortSignal,
): Promise<RobotsRules> {
  const url = `${origin}/robots.txt`;
  const { status, text } = await fetch(url, {
    headers: { 'User-Agent': userAgent },
    // What RFC 9309 asks for at least.
    maxBytes: 512_000,
    cutAtMaxBytes: true,
    maxRedirects: 5,
    signal,
  });
  refuseForNow(status);
  const rules = robotsParser(url, status >= 200 && status < 300 ? text : '');
  return {
    allows: (page) => rules.isAllowed(page, userAgent) !== false,
    pauseMs: Math.min(longestPauseMs, (rules.getCrawlDelay(userAgent) ?? 0) * 1000),
  };
}
