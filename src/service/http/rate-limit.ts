import type { Context, Env as HonoEnv, MiddlewareHandler } from 'hono';
import { every } from 'hono/combine';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { errorTexts } from '../../contract/error-texts.ts';
import type { Database } from '../db/database.ts';
import { requestAddress, requestNetwork } from './client-address.ts';

/** A rate limit. */
export interface Window {
  requests: number;
  windowSeconds: number;
  /** Separates its counts from those of other limits. */
  prefix: string;
}

/** How many times the limit of an address all addresses of an IPv6 /48 may send: it has 65,536 blocks. */
const networkRequestFactor = 4;

/** Limits the requests of one address. (Interface: 429 with `retry_after`, in seconds.) */
export function rateLimit(
  database: Database,
  { rateLimit, trustedProxies }: { rateLimit: Omit<Window, 'prefix'>; trustedProxies: number },
): MiddlewareHandler {
  const { requests } = rateLimit;
  const ofNetwork = { ...rateLimit, requests: requests * networkRequestFactor, prefix: 'api-network' };
  return every(
    limitRequests(database, { ...rateLimit, prefix: 'api' }, (c) => requestAddress(c, trustedProxies)),
    limitRequests(database, ofNetwork, (c) => requestNetwork(c, trustedProxies)),
  );
}

/** Failed attempts to authenticate: the keys cannot be guessed, but the log and the database should stay quiet. */
const failedAttempts = { requests: 20, windowSeconds: 300 };

/**
 * Counts the failed attempts of an address to authenticate. Valid keys from the same address are not limited.
 *
 * @returns a function that counts an attempt; it returns the response if there were too many, otherwise undefined.
 */
export function limitFailedAttempts(
  database: Database,
  { rateLimit, trustedProxies }: { rateLimit: Omit<Window, 'prefix'>; trustedProxies: number },
): (c: Context) => Promise<Response | undefined> {
  const requests = rateLimit.requests === 0 ? 0 : failedAttempts.requests;
  const count = createLimiter(database, { ...failedAttempts, requests, prefix: 'auth' });
  const network = { ...failedAttempts, requests: requests * networkRequestFactor, prefix: 'auth-network' };
  const countOfNetwork = createLimiter(database, network);
  return async (c) => {
    const seconds =
      (await count(requestAddress(c, trustedProxies))) ??
      (await countOfNetwork(requestNetwork(c, trustedProxies)));
    return seconds === undefined ? undefined : tooManyRequests(c, seconds);
  };
}

/** Limits the requests with the same key (see {@link createLimiter}). */
export function limitRequests<Env extends HonoEnv>(
  database: Database,
  window: Window,
  keyOf: (c: Context<Env>) => string | undefined,
): MiddlewareHandler<Env> {
  const count = createLimiter(database, window);
  return async (c, next) => {
    const seconds = await count(keyOf(c));
    return seconds === undefined ? next() : tooManyRequests(c, seconds);
  };
}

function tooManyRequests(c: Context, seconds: number): Response {
  c.header('Retry-After', String(seconds));
  c.header('Cache-Control', 'no-store');
  return c.json({ message: errorTexts['too-many-requests'], retry_after: seconds }, 429);
}

/**
 * Counts requests with the same key; 0 is no limit, and requests without a key are not limited. Counts are in the
 * database, so they hold across processes; while the database is unavailable, each process counts for itself.
 *
 * @returns a function that counts a request; it returns the seconds to wait if there were too many.
 */
function createLimiter(
  { pool }: Database,
  { requests, windowSeconds, prefix }: Window,
): (key: string | undefined) => Promise<number | undefined> {
  if (requests === 0) return () => Promise.resolve(undefined);
  const window = { points: requests, duration: windowSeconds, keyPrefix: prefix };
  const limiter = new RateLimiterPostgres({
    ...window,
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    // Our migrations create it.
    tableCreated: true,
    // Housekeeping deletes expired counts, also those of limits that are switched off.
    clearExpiredByTimeout: false,
    // Blocked keys cost no further queries.
    inMemoryBlockOnConsumed: requests + 1,
    insuranceLimiter: new RateLimiterMemory(window),
  });
  return async (key) => {
    if (key === undefined) return undefined;
    try {
      await limiter.consume(key);
      return undefined;
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      return Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
    }
  };
}

/** Time after the end of a window until its counts are deleted, in milliseconds: another process's clock may be slow. */
const keptMs = 3_600_000;

/** Deletes the counts of past windows. */
export async function deleteExpiredCounts({ pool }: Database): Promise<void> {
  await pool.query('DELETE FROM rate_limits WHERE expire < $1', [Date.now() - keptMs]);
}
