import { eq, isNotNull, or } from 'drizzle-orm';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { leads } from '../db/leads-table.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** Sends the job that runs a campaign's next step, when the transaction is committed. */
export const sendTick = (jobs: Jobs, tx: Queries, campaignId: number): Promise<void> =>
  jobs.send('campaign-tick', { campaignId }, { tx });

/** Sends a tick to every campaign in progress or being deleted, in case the campaign's own next tick was lost. */
export async function sendAllTicks({ database, jobs }: { database: Database; jobs: Jobs }): Promise<void> {
  const running = await database.db
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(or(eq(campaigns.status, 'in-progress'), isNotNull(campaigns.deletedAt)));
  for (const { id } of running) {
    await jobs.send('campaign-tick', { campaignId: id });
  }
}

/** Sends a tick to the campaign of a call and to the campaign of its lead, which may have been moved. */
export async function notifyCampaigns(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  { campaignId, leadId }: { campaignId: number | null; leadId: number | null },
): Promise<void> {
  const [lead] = await tx
    .select({ campaignId: leads.campaignId })
    .from(leads)
    .where(eq(leads.id, leadId ?? 0));
  const ids = new Set([campaignId, lead?.campaignId].filter((id) => id != null));
  // Sorted, since sending locks a waiting job: otherwise two transactions could deadlock.
  for (const id of [...ids].sort((a, b) => a - b)) await sendTick(jobs, tx, id);
}
