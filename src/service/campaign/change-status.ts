import { sql } from 'drizzle-orm';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database } from '../db/database.ts';
import { Refusal } from '../http/refusal.ts';
import { isOwnedCampaign, notFound } from './campaign.ts';
import type { OwnedCampaign } from './campaign.ts';

/**
 * Starts or stops a campaign. Nothing calls the leads of one yet, so a start is refused rather than pretended.
 *
 * @returns the campaign's status afterwards.
 * @throws Refusal if there is no such campaign, it cannot be started, or it is not in progress.
 */
export async function changeStatus({ db }: Database, owned: OwnedCampaign, action: 'start' | 'stop') {
  return db.transaction(async (tx) => {
    const [campaign] = await tx
      .select({ status: campaigns.status })
      .from(campaigns)
      .where(isOwnedCampaign(owned))
      .for('update');
    if (!campaign) return notFound();
    if (action === 'start') {
      throw Refusal.invalidField(
        'action',
        'Campaigns cannot be started yet, because calls are not made yet.',
      );
    }
    // Who stops twice gets what they asked for.
    if (campaign.status === 'stopped') return campaign.status;
    if (campaign.status !== 'in-progress') {
      throw Refusal.invalidField(
        'action',
        `A campaign whose status is ${campaign.status} cannot be stopped.`,
      );
    }
    await tx
      .update(campaigns)
      .set({ status: 'stopped', updatedAt: sql`now()` })
      .where(isOwnedCampaign(owned));
    return 'stopped' as const;
  });
}
