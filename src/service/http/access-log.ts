import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';

/**
 * Logs each request by its route's pattern. Paths are left out: a conversation's UUID is the key to it.
 * A streamed answer is logged when it begins.
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
