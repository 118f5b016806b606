import { PgBoss } from 'pg-boss';
import type { ConstructorOptions, Db } from 'pg-boss';
import type { Pool } from 'pg';
import { runStatements } from '../db/run-statements.ts';
import { queueNames, queues } from './queues.ts';

/** An arbitrary number that no other advisory lock uses. */
const fetchLock = 7_303_014_119;

/**
 * Runs pg-boss's fetches with a limit per group one after the other, across processes. Simultaneous ones do not see each
 * other's jobs, so together they would exceed the limit.
 */
function withSerialFetches(execute: Db['executeSql']): Db['executeSql'] {
  let latest: Promise<unknown> = Promise.resolve();
  return (text, values = []) => {
    // pg-boss's name for a part of these fetches. If an update changes it, the test of limits over processes fails.
    if (!text.includes('group_filtered')) return execute(text, values);
    // One query, so that the database releases the lock by itself, even if this process freezes.
    const lock = `DO $$ BEGIN PERFORM pg_advisory_xact_lock(${fetchLock}); END $$`;
    // In turns, since each of them would need a connection of the pool to wait.
    const fetched = latest.then(() => execute(`${lock};${withNumbers(text, values)}`));
    latest = fetched.catch(() => undefined);
    return fetched;
  };
}

/** Inserts values into a statement, since a query of several statements can have none. */
const withNumbers = (text: string, values: unknown[]) =>
  text.replace(/\$(\d+)/g, (_, position: string) => {
    const value = values[Number(position) - 1];
    if (!Number.isInteger(value)) throw new TypeError(`Only integers can be inserted, not $${position}.`);
    return String(value);
  });

/** Creates an instance of pg-boss. It has no timers until it is started; it can only store and read jobs. */
export function createBoss(pool: Pool, options?: ConstructorOptions, listen?: Db['listen']): PgBoss {
  const none = { migrate: false, schedule: false, supervise: false, reindex: false, monitorVacuum: false };
  const db = { executeSql: withSerialFetches(runStatements(pool)), ...(listen && { listen }) };
  // Failures reject to the caller as well; an unhandled error event would end the process.
  return new PgBoss({ schema: 'jobs', db, ...none, ...options }).on('error', () => undefined);
}

/** Updates pg-boss's tables and the queues. Any number of processes may run this at once. */
export async function installJobs(pool: Pool): Promise<void> {
  const boss = createBoss(pool, { migrate: true });
  try {
    await boss.start();
    for (const name of queueNames) {
      // `short`: at most one waiting job per key.
      await boss.createQueue(name, { ...queues[name].rules, policy: 'short' });
      await boss.updateQueue(name, queues[name].rules);
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}
