import { eq } from 'drizzle-orm';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** Has a campaign looked at, once this transaction is committed. */
export const sendTick = (jobs: Jobs, tx: Queries, campaignId: number): Promise<void> =>
  jobs.send('campaign-tick', { campaignId }, { tx, key: String(campaignId) });

/** Has every campaign in progress looked at. Each sends its own next tick; this is for one that was lost all the same. */
export async function sendAllTicks({ database, jobs }: { database: Database; jobs: Jobs }): Promise<void> {
  const running = await database.db
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(eq(campaigns.status, 'in-progress'));
  for (const { id } of running) {
    await jobs.send('campaign-tick', { campaignId: id }, { key: String(id) });
  }
}
