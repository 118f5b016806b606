import { sql } from 'drizzle-orm';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';

/** Longest wait for the database, in milliseconds. Whoever asks wants to know soon. */
const patience = 3000;

/** `GET /healthz`: 200 while the service can do its work, 503 while its database does not answer. */
export function healthRoutes({ db }: Database, log: Logger): Hono {
  const routes = new Hono();
  routes.get('/', async (c) => {
    c.header('Cache-Control', 'no-store');
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      late.reject(new Error(`The database did not answer within ${patience} ms.`));
    }, patience);
    try {
      await Promise.race([db.execute(sql`SELECT 1`), late.promise]);
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
