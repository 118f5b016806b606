import { sql } from 'drizzle-orm';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';

/** Time limit of the check in milliseconds. */
const timeoutMs = 3000;

/** `GET /healthz`: 200 if the database responds, otherwise 503. */
export function healthRoutes({ db }: Database, log: Logger): Hono {
  const routes = new Hono();
  routes.get('/', async (c) => {
    c.header('Cache-Control', 'no-store');
    const timedOut = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      timedOut.reject(new Error(`The database did not respond within ${timeoutMs} ms.`));
    }, timeoutMs);
    try {
      await Promise.race([db.execute(sql`SELECT 1`), timedOut.promise]);
      return c.json({ status: 'ok' });
    } catch (error) {
      log.error({ err: error }, 'the health check failed');
      return c.json({ status: 'unavailable' }, 503);
    } finally {
      clearTimeout(timer);
    }
  });
  return routes;
}
