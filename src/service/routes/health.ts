import { sql } from 'drizzle-orm';
import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';

/** Time limit of the check in milliseconds. */
const timeoutMs = 3000;

/** `GET /healthz`: 200 if the database responds, otherwise 503. */
export function healthRoutes(database: Database, log: Logger): Hono {
  const routes = new Hono();
  routes.get('/', async (c) => {
    c.header('Cache-Control', 'no-store');
    return (await responds(database, log))
      ? c.json({ status: 'ok' })
      : c.json({ status: 'unavailable' }, 503);
  });
  return routes;
}

const noDatabase = `The database does not respond within ${timeoutMs / 1000} seconds.`;

/**
 * `GET /readyz`: like `/healthz`, with the reasons why it is unavailable and warnings about the configuration.
 *
 * @param warnings `canQuery` is whether the database responds.
 */
export function readinessRoutes(
  database: Database,
  log: Logger,
  warnings: (canQuery: boolean) => Promise<string[]>,
): Hono {
  const routes = new Hono();
  routes.get('/', async (c) => {
    c.header('Cache-Control', 'no-store');
    const isReady = await responds(database, log);
    const current = await warnings(isReady);
    return isReady
      ? c.json({ status: 'ok', warnings: current })
      : c.json({ status: 'unavailable', reasons: [noDatabase], warnings: current }, 503);
  });
  return routes;
}

async function responds({ db }: Database, log: Logger): Promise<boolean> {
  const timedOut = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    timedOut.reject(new Error(`The database did not respond within ${timeoutMs} ms.`));
  }, timeoutMs);
  try {
    await Promise.race([db.execute(sql`SELECT 1`), timedOut.promise]);
    return true;
  } catch (error) {
    log.error({ err: error }, 'the health check failed');
    return false;
  } finally {
    clearTimeout(timer);
  }
}
