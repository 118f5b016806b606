import { eq, inArray, sql } from 'drizzle-orm';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { leads } from '../db/leads-table.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { Refusal } from '../lib/refusal.ts';
import { isOwnedCampaign } from './campaign.ts';
import type { OwnedCampaign } from './campaign.ts';
import { sendTick } from './send-tick.ts';

/** Records changed per step; a single statement for a large campaign would block others and time out. */
const batchSize = 1000;

/**
 * Deletes a campaign with its leads. A large one is only marked as deleted, which stops it and hides it from its owner,
 * but not its leads; the steps of the campaign then delete them, and it.
 *
 * @throws Refusal if the campaign does not exist.
 */
export async function deleteCampaign(
  { database, jobs }: { database: Database; jobs: Jobs },
  owned: OwnedCampaign,
): Promise<void> {
  await database.db.transaction(async (tx) => {
    const marked = await tx
      .update(campaigns)
      .set({ status: 'stopped', deletedAt: sql`now()` })
      .where(isOwnedCampaign(owned))
      .returning({ id: campaigns.id });
    if (marked.length === 0) throw Refusal.notFound('Campaign');
    await continueDeletion({ tx, jobs }, owned.id);
  });
}

/** Deletes the next leads of a deleted campaign, whose row must be locked, or the campaign after the last ones. */
export async function continueDeletion(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  campaignId: number,
): Promise<void> {
  if ((await deleteLeads(tx, campaignId)) && (await detachCalls(tx, campaignId)))
    await tx.delete(campaigns).where(eq(campaigns.id, campaignId));
  else await sendTick(jobs, tx, campaignId);
}

/** @returns whether no lead is left. */
async function deleteLeads(tx: Queries, campaignId: number): Promise<boolean> {
  const batch = tx
    .select({ id: leads.id })
    .from(leads)
    .where(eq(leads.campaignId, campaignId))
    .orderBy(leads.id)
    .limit(batchSize)
    .for('update');
  const deleted = await tx.delete(leads).where(inArray(leads.id, batch)).returning({ id: leads.id });
  return deleted.length < batchSize;
}

/** Removes the campaign from its calls, which are kept. Returns whether no call is left. */
async function detachCalls(tx: Queries, campaignId: number): Promise<boolean> {
  const batch = tx
    .select({ id: calls.id })
    .from(calls)
    .where(eq(calls.campaignId, campaignId))
    .orderBy(calls.id)
    .limit(batchSize)
    .for('no key update');
  const detached = await tx
    .update(calls)
    .set({ campaignId: null })
    .where(inArray(calls.id, batch))
    .returning({ id: calls.id });
  return detached.length < batchSize;
}
