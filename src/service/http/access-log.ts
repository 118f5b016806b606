import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';

/**
 * Logs each request with its route's pattern, not its path: anyone who has a conversation's UUID can read it. A
 * streamed response is logged when it begins.
 */
export function accessLog(log: Logger): MiddlewareHandler {
  return async (c, next) => {
    const start = performance.now();
    await next();
    const milliseconds = Math.round(performance.now() - start);
    log.info(
      { method: c.req.method, route: routePath(c, -1), status: c.res.status, milliseconds },
      'request',
    );
  };
}
