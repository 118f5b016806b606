import type { Context, Env as HonoEnv, MiddlewareHandler } from 'hono';
import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { errorTexts } from '../../contract/error-body.ts';
import type { Database } from '../db/database.ts';
import { requestAddress } from './client-address.ts';

/** So many requests in a window. */
export interface Window {
  requests: number;
  windowSeconds: number;
  /** Tells its counts from those of other windows. */
  prefix: string;
}

/**
 * Limits how many requests one address may make. (Interface: 429 with `retry_after`, in seconds.)
 */
export function rateLimit(
  database: Database,
  { rateLimit, trustedProxies }: { rateLimit: Omit<Window, 'prefix'>; trustedProxies: number },
): MiddlewareHandler {
  return limitRequests(database, { ...rateLimit, prefix: 'api' }, (c) => requestAddress(c, trustedProxies));
}

/**
 * Limits how many requests may be made with the same name; 0 is no limit. The count lives in the database, so it holds
 * across processes; while the database is away each process counts for itself.
 */
export function limitRequests<Env extends HonoEnv>(
  { pool }: Database,
  { requests, windowSeconds, prefix }: Window,
  nameOf: (c: Context<Env>) => string,
): MiddlewareHandler<Env> {
  if (requests === 0) return (_, next) => next();
  const window = { points: requests, duration: windowSeconds, keyPrefix: prefix };
  const limiter = new RateLimiterPostgres({
    ...window,
    storeClient: pool,
    storeType: 'pool',
    tableName: 'rate_limits',
    // Our own migrations make it.
    tableCreated: true,
    // An address that is over its limit costs no query any more.
    inMemoryBlockOnConsumed: requests + 1,
    insuranceLimiter: new RateLimiterMemory(window),
  });
  return async (c, next) => {
    try {
      await limiter.consume(nameOf(c));
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
