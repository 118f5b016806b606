import { and, eq, isNull, sql } from 'drizzle-orm';
import { errorTexts } from '../../contract/error-texts.ts';
import { affordableCalls, readCallBalance } from '../billing/call-balance.ts';
import { callMinutePrice } from '../billing/prices.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { isOwnedCampaign } from './campaign.ts';
import type { OwnedCampaign } from './campaign.ts';
import { stopCampaign } from './run-campaign.ts';
import { sendTick } from './send-tick.ts';

/**
 * Starts or stops a campaign. Also succeeds if it is already in that state. Calls in progress continue after a stop,
 * and their leads are updated.
 *
 * @returns the campaign's new status, and whether it has changed.
 * @throws Refusal if the campaign does not exist, or cannot be started or stopped; `success` is false.
 */
export async function changeCampaignStatus(
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
    if (!campaign) throw new Refusal(404, { success: false, message: 'Campaign not found.' });
    if (action === 'start') {
      if (campaign.status !== 'in-progress') await start(tx, owned, campaign);
      await sendTick(jobs, tx, owned.id);
      return { status: 'in-progress' as const, isChanged: campaign.status !== 'in-progress' };
    }
    if (campaign.status === 'stopped') return { status: campaign.status, isChanged: false };
    if (campaign.status !== 'in-progress') {
      throw invalidAction(`A campaign whose status is ${campaign.status} cannot be stopped.`);
    }
    await stopCampaign({ tx, jobs }, owned.id, null);
    return { status: 'stopped' as const, isChanged: true };
  });
}

async function start(
  tx: Queries,
  { id, userId }: OwnedCampaign,
  { assistantId, status }: { assistantId: number; status: string },
): Promise<void> {
  const [assistant] = await tx
    .select({ type: assistants.type, mode: assistants.mode })
    .from(assistants)
    .where(and(eq(assistants.id, assistantId), isNull(assistants.deletedAt)));
  if (assistant?.type !== 'outbound') {
    throw invalidAction('A campaign without an outbound assistant cannot be started.');
  }
  const { balance } = await readCallBalance(tx, userId);
  if (affordableCalls(balance, callMinutePrice(assistant.mode)) === 0) {
    throw new Refusal(400, { success: false, message: errorTexts['insufficient-balance'], data: { status } });
  }
  await tx
    .update(campaigns)
    .set({ status: 'in-progress', stopReason: null, pausedUntil: null, updatedAt: sql`now()` })
    .where(eq(campaigns.id, id));
}

const invalidAction = (message: string) =>
  new Refusal(422, { success: false, message, errors: { action: [message] } });
