import { sql } from 'drizzle-orm';
import { today } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { UsageNotice } from './usage-notice.ts';

/** Sends the jobs of an assistant's notices, in the transaction that counted the usage. */
export async function sendUsageNotices(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  assistantId: number,
  notices: readonly (UsageNotice | undefined)[],
): Promise<void> {
  for (const notice of notices) {
    if (notice === undefined) continue;
    // The jobs may run after midnight.
    const { rows } = await tx.execute<{ day: string }>(sql`SELECT ${today}::text AS day`);
    for (const { day } of rows) await jobs.send('usage-notice', { assistantId, ...notice, day }, { tx });
  }
}
