import type { Context, Env as HonoEnv, MiddlewareHandler } from 'hono';
import { every } from 'hono/combine';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { errorTexts } from '../../contract/error-body.ts';
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
const networkFactor = 4;

/** Limits the requests of one address. (Interface: 429 with `retry_after`, in seconds.) */
export function rateLimit(
  database: Database,
  { rateLimit, trustedProxies }: { rateLimit: Omit<Window, 'prefix'>; trustedProxies: number },
): MiddlewareHandler {
  const { requests } = rateLimit;
  const ofNetwork = { ...rateLimit, requests: requests * networkFactor, prefix: 'api-network' };
  return every(
    limitRequests(database, { ...rateLimit, prefix: 'api' }, (c) => requestAddress(c, trustedProxies)),
    limitRequests(database, ofNetwork, (c) => requestNetwork(c, trustedProxies)),
  );
}

/**
 * Limits the requests with the same key; 0 is no limit, and requests without a key are not limited. Counts are in the
 * database, so they hold across processes; while the database is unavailable, each process counts for itself.
 */
export function limitRequests<Env extends HonoEnv>(
  { pool }: Database,
  { requests, windowSeconds, prefix }: Window,
  keyOf: (c: Context<Env>) => string | undefined,
): MiddlewareHandler<Env> {
  if (requests === 0) return (_, next) => next();
  const window = { points: requests, duration: windowSeconds, keyPrefix: prefix };
  const limiter = new RateLimiterPostgres({
    ...window,
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    // Our migrations create it.
    tableCreated: true,
    // Blocked keys cost no further queries.
    inMemoryBlockOnConsumed: requests + 1,
    insuranceLimiter: new RateLimiterMemory(window),
  });
  return async (c, next) => {
    const key = keyOf(c);
    if (key === undefined) return next();
    try {
      await limiter.consume(key);
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      const seconds = Math.max(1, Math.ceil(refusal.msBeforeNext / 1000));
      c.header('Retry-After', String(seconds));
      c.header('Cache-Control', 'no-store');
      return c.json({ message: errorTexts.tooManyRequests, retry_after: seconds }, 429);
    }
    return next();
  };
}
