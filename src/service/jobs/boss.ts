import { isDeepStrictEqual } from 'node:util';
import { PgBoss } from 'pg-boss';
import type { ConstructorOptions, Db } from 'pg-boss';
import type { Pool } from 'pg';
import { runStatements } from '../db/run-statements.ts';
import { queueNames, queues } from './queues.ts';

/** Creates an instance of pg-boss. It has no timers until it is started; it can only store and read jobs. */
export function createBoss(pool: Pool, options?: ConstructorOptions, listen?: Db['listen']): PgBoss {
  const none = { migrate: false, schedule: false, supervise: false, reindex: false, monitorVacuum: false };
  const db = { executeSql: runStatements(pool), ...(listen && { listen }) };
  // Failures reject to the caller as well; an unhandled error event would end the process.
  return new PgBoss({ schema: 'jobs', db, ...none, ...options }).on('error', () => undefined);
}

/** Updates pg-boss's tables and the queues. Any number of processes may run this at once. */
export async function installJobs(pool: Pool): Promise<void> {
  const boss = createBoss(pool, { migrate: true });
  try {
    await boss.start();
    const stored = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
    for (const name of queueNames) {
      const { rules } = queues[name];
      const queue = stored.get(name);
      // `short`: at most one waiting job per key.
      if (!queue) await boss.createQueue(name, { ...rules, policy: 'short' });
      else if (!isMatch(queue, rules)) await boss.updateQueue(name, rules);
    }
  } finally {
    await boss.stop({ graceful: false });
  }
}

/** Whether a queue already has these rules. Most starts change nothing, and each statement takes a round trip. */
const isMatch = (queue: object, rules: object) => isDeepStrictEqual({ ...queue, ...rules }, { ...queue });
