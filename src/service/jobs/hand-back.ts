import type { Job, PgBoss } from 'pg-boss';
import { schema } from './boss.ts';

/**
 * Gives claimed jobs back to their queue, to be started at once by whoever comes. It does not count as a failed try:
 * the job is not to blame. They wait as retries, which may stand beside another job of the same key.
 */
export async function handBack(boss: PgBoss, jobs: Job[]): Promise<void> {
  await boss.getDb().executeSql(
    `UPDATE ${schema}.job SET state = 'retry', started_on = NULL, heartbeat_on = NULL, start_after = now()
     FROM unnest($1::uuid[], $2::int[]) AS claimed (id, retry_count)
     WHERE job.id = claimed.id AND job.retry_count = claimed.retry_count AND job.state = 'active'`,
    [jobs.map(({ id }) => id), jobs.map(({ retryCount }) => retryCount)],
  );
}

/**
 * Counts what is under way as failed, to be tried again at once: for a database that nobody else works on, so that its
 * last process must have died over it.
 */
export async function retryCutOff(boss: PgBoss): Promise<number> {
  const found = await boss.getDb().executeSql(`SELECT id, name FROM ${schema}.job WHERE state = 'active'`);
  const rows = found.rows as { id: string; name: string }[];
  if (rows.length === 0) return 0;
  for (const { id, name } of rows) await boss.fail(name, id, { reason: 'its process ended' });
  const ids = rows.map(({ id }) => id);
  await boss
    .getDb()
    .executeSql(
      `UPDATE ${schema}.job SET start_after = now() WHERE state = 'retry' AND id = ANY($1::uuid[])`,
      [ids],
    );
  return rows.length;
}
