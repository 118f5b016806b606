import { AsyncLocalStorage } from 'node:async_hooks';
import { PgBoss } from 'pg-boss';
import type { ConnectionOptions } from 'pg-boss';
import type { Pool, PoolClient } from 'pg';

/** Where pg-boss runs its SQL. */
type BossDatabase = NonNullable<ConnectionOptions['db']>;

/** The schema that pg-boss keeps its tables in. */
export const schema = 'jobs';

/** How long after the death of its process a job is taken over by another, in seconds. */
export const leaseSeconds = 30;

/** How long a finished job is kept, in seconds, for whoever wants to see what happened. */
export const keptSeconds = 86_400;

/**
 * How long a job waits to be begun, or tried again, in seconds: ten years. By itself pg-boss deletes what has waited for
 * two weeks, but a service that stood still for longer goes on with all of it.
 */
export const waitingSeconds = 315_360_000;

/**
 * pg-boss on a database of ours. It is never started: it stores, claims and settles jobs, and {@link Workers} decides
 * when, so a process that only sends has no timers and no queries of its own.
 */
export function createBoss(db: BossDatabase): PgBoss {
  const boss = new PgBoss({
    db,
    schema,
    schedule: false,
    supervise: false,
    // Nothing but the service's own few queues is in there, so autovacuum does.
    reindex: false,
    monitorVacuum: false,
    // Once per renewal of leases, however many processes there are.
    monitorIntervalSeconds: leaseSeconds / 3 - 1,
    maintenanceIntervalSeconds: 3600,
  });
  // Whatever fails rejects to its caller as well; an event that nobody hears would end the process.
  boss.on('error', () => undefined);
  return boss;
}

/**
 * The transaction that pg-boss is called in. What it looks up beside its statements goes there as well: on PGlite
 * nothing else could be asked until the transaction is over.
 */
export const within = new AsyncLocalStorage<BossDatabase>();

/**
 * A pool in the shape that pg-boss asks for. A failed statement must not leave its transaction open: PGlite has one
 * session, and the next one to use it would be in that transaction.
 */
export function overPool(pool: Pool): BossDatabase {
  return {
    async executeSql(text, values) {
      const transaction = within.getStore();
      if (transaction) return transaction.executeSql(text, values);
      const client = await pool.connect();
      try {
        return await execute(client, text, values);
      } catch (error) {
        await client.query('ROLLBACK').catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

/** One connection in the shape that pg-boss asks for. */
export const overClient = (client: PoolClient): BossDatabase => ({
  executeSql: (text, values) => execute(client, text, values),
});

/** Several statements in one text have several results, of which pg-boss wants the rows. */
async function execute(client: PoolClient, text: string, values?: unknown[]): Promise<{ rows: unknown[] }> {
  const result: unknown = await client.query(text, values);
  const results = (Array.isArray(result) ? result : [result]) as { rows?: unknown[] }[];
  return { rows: results.flatMap(({ rows }) => rows ?? []) };
}
