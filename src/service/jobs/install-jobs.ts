import type { Pool } from 'pg';
import { createBoss, keptSeconds, leaseSeconds, overClient, schema, waitingSeconds } from './boss.ts';
import { queueNames, queues } from './queues.ts';
import type { QueueRules } from './queues.ts';

/** Any number will do, as long as every process of this service takes the same. */
const advisoryLock = 7_303_014_118;

/** Longest pause between two tries, in seconds. */
const longestPause = 3600;

/** Brings the tables and queues of the background jobs up to date. Processes that start together take turns. */
export async function installJobs(pool: Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('SELECT pg_advisory_lock($1)', [advisoryLock]);
    const boss = createBoss(overClient(client));
    try {
      await boss.start();
      const known = new Map((await boss.getQueues()).map((queue) => [queue.name, queue]));
      for (const name of queueNames) {
        const wanted = asOptions(queues[name]);
        const found = known.get(name);
        // `short`: at most one waiting job per key.
        if (!found) await boss.createQueue(name, { ...wanted, policy: 'short' });
        else if (Object.entries(wanted).some(([key, value]) => found[key as keyof typeof wanted] !== value)) {
          await boss.updateQueue(name, wanted);
        }
      }
      // Those of an earlier version would be deleted, and those of a standstill that has lasted for very long.
      await client.query(
        `UPDATE ${schema}.job SET keep_until = now() + $1 * interval '1 second'
         WHERE state < 'active' AND keep_until < now() + $1 / 2 * interval '1 second'`,
        [waitingSeconds],
      );
    } finally {
      await boss.stop({ graceful: false, close: false });
      await client.query('SELECT pg_advisory_unlock($1)', [advisoryLock]);
    }
  } finally {
    client.release();
  }
}

const asOptions = ({ retries, retryAfter, patience }: QueueRules) => ({
  retryLimit: retries,
  retryDelay: retryAfter,
  retryBackoff: true,
  retryDelayMax: longestPause,
  expireInSeconds: patience,
  heartbeatSeconds: leaseSeconds,
  deleteAfterSeconds: keptSeconds,
  retentionSeconds: waitingSeconds,
});
