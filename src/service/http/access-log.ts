import type { MiddlewareHandler } from 'hono';
import { routePath } from 'hono/route';
import type { Logger } from 'pino';
import { measureRequest } from '../telemetry/instruments.ts';

/**
 * Logs and measures each request with its route's pattern, not its path: anyone who has a conversation's UUID can read it. A
 * streamed response is logged when it begins.
 */
export function accessLog(log: Logger): MiddlewareHandler {
  return async (c, next) => {
    const start = performance.now();
    await measureRequest(
      () => c.req.header(),
      async () => {
        await next();
        const { method } = c.req;
        const [route, { status }] = [routePath(c, -1), c.res];
        const milliseconds = Math.round(performance.now() - start);
        log.info({ method, route, status, milliseconds }, 'request');
        return { method, route, status };
      },
    );
  };
}
