import { Hono } from 'hono';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { isReadOnly } from '../db/is-read-only.ts';

/** Time limit of the check in milliseconds. */
const timeoutMs = 3000;

/** `GET /healthz`: 200 if the database responds and can be written, otherwise 503. */
export function healthRoutes(database: Database, log: Logger): Hono {
  const routes = new Hono();
  routes.get('/', async (c) => {
    c.header('Cache-Control', 'no-store');
    return (await findProblem(database, log)) === undefined
      ? c.json({ status: 'ok' })
      : c.json({ status: 'unavailable' }, 503);
  });
  return routes;
}

const noDatabase = `The database does not respond within ${timeoutMs / 1000} seconds.`;
const readOnly = 'The database is read-only, as a standby is. DATABASE_URL must lead to the primary server.';

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
    const problem = await findProblem(database, log);
    const current = await warnings(problem === undefined || problem === readOnly);
    return problem === undefined
      ? c.json({ status: 'ok', warnings: current })
      : c.json({ status: 'unavailable', reasons: [problem], warnings: current }, 503);
  });
  return routes;
}

/** Returns the reason why the database cannot be used, if there is one. */
async function findProblem({ pool }: Database, log: Logger): Promise<string | undefined> {
  const timedOut = Promise.withResolvers<never>();
  const tooLate = new Error(`The database did not respond within ${timeoutMs} ms.`);
  const timer = setTimeout(() => {
    timedOut.reject(tooLate);
  }, timeoutMs);
  try {
    return (await Promise.race([isReadOnly(pool), timedOut.promise])) ? readOnly : undefined;
  } catch (error) {
    log.error({ err: error }, 'the health check failed');
    return error === tooLate ? noDatabase : describeError(error);
  } finally {
    clearTimeout(timer);
  }
}

/** Without the message, which can contain names of users and hosts. */
function describeError(error: unknown): string {
  const { code } = error as { code?: unknown };
  return typeof code === 'string'
    ? `The database cannot be used (${code}).`
    : 'The database cannot be used. The log has the reason.';
}
