import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes, routePath } from 'hono/route';
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
        const [route, { status }] = [routeOf(c), c.res];
        const milliseconds = Math.round(performance.now() - start);
        log.info({ method, route, status, milliseconds }, 'request');
        return { method, route, status };
      },
    );
  };
}

/** The pattern of the request's route. Middleware with wildcards may follow it. */
const routeOf = (c: Context): string =>
  matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? routePath(c, -1);
