import { eq } from 'drizzle-orm';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { leads } from '../db/leads-table.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** Has a campaign looked at, once this transaction is committed. */
export const sendTick = (jobs: Jobs, tx: Queries, campaignId: number): Promise<void> =>
  jobs.send('campaign-tick', { campaignId }, { tx });

/** Has every campaign in progress looked at. Each sends its own next tick; this is for one that was lost all the same. */
export async function sendAllTicks({ database, jobs }: { database: Database; jobs: Jobs }): Promise<void> {
  const running = await database.db
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(eq(campaigns.status, 'in-progress'));
  for (const { id } of running) {
    await jobs.send('campaign-tick', { campaignId: id });
  }
}

/** Has the campaign of a call looked at, and that of its lead, which may have been moved to another one. */
export async function tellCampaigns(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  { campaignId, leadId }: { campaignId: number | null; leadId: number | null },
): Promise<void> {
  const [lead] = await tx
    .select({ campaignId: leads.campaignId })
    .from(leads)
    .where(eq(leads.id, leadId ?? 0));
  const told = new Set([campaignId, lead?.campaignId].filter((id) => id != null));
  // In order, as everybody who tells several: each job that waits is locked.
  for (const id of [...told].sort((a, b) => a - b)) await sendTick(jobs, tx, id);
}
