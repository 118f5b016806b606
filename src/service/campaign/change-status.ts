import { and, eq, isNull, sql } from 'drizzle-orm';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { isOwnedCampaign, notFound } from './campaign.ts';
import type { OwnedCampaign } from './campaign.ts';
import { stopCampaign } from './run-campaign.ts';
import { sendTick } from './send-tick.ts';

/**
 * Starts or stops a campaign. A start that finds it running has it looked at, and a stop that finds it stopped changes
 * nothing. Calls under way when it is stopped go on to their end; their leads get their next state.
 *
 * @returns the campaign's status afterwards.
 * @throws Refusal if there is no such campaign, it cannot be started, or it is not in progress.
 */
export async function changeStatus(
  { database, jobs }: { database: Database; jobs: Jobs },
  owned: OwnedCampaign,
  action: 'start' | 'stop',
) {
  return database.db.transaction(async (tx) => {
    const [campaign] = await tx
      .select({ status: campaigns.status, assistantId: campaigns.assistantId })
      .from(campaigns)
      .where(isOwnedCampaign(owned))
      .for('no key update');
    if (!campaign) return notFound();
    if (action === 'start') {
      if (campaign.status !== 'in-progress') await start(tx, owned, campaign.assistantId);
      await sendTick(jobs, tx, owned.id);
      return 'in-progress' as const;
    }
    // Who stops twice gets what they asked for.
    if (campaign.status === 'stopped') return campaign.status;
    if (campaign.status !== 'in-progress') {
      throw Refusal.invalidField(
        'action',
        `A campaign whose status is ${campaign.status} cannot be stopped.`,
      );
    }
    await stopCampaign({ tx, jobs }, owned.id, null);
    return 'stopped' as const;
  });
}

async function start(tx: Queries, { id }: OwnedCampaign, assistantId: number): Promise<void> {
  const [assistant] = await tx
    .select({ type: assistants.type })
    .from(assistants)
    .where(and(eq(assistants.id, assistantId), isNull(assistants.deletedAt)));
  if (assistant?.type !== 'outbound') {
    throw Refusal.invalidField('action', 'A campaign without an outbound assistant cannot be started.');
  }
  await tx
    .update(campaigns)
    .set({ status: 'in-progress', stopReason: null, updatedAt: sql`now()` })
    .where(eq(campaigns.id, id));
}
