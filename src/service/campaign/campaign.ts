import { and, asc, eq, sql } from 'drizzle-orm';
import type { CreateCampaignRequest } from '../../contract/campaign.ts';
import { weekdays } from '../../contract/campaign.ts';
import { campaignPhoneNumbers, campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import { fromWire, wireColumns } from '../db/wire-columns.ts';
import { Refusal } from '../http/refusal.ts';

/** A campaign and the user who asks for it. */
export interface OwnedCampaign {
  id: number;
  userId: number;
}

export const isOwnedCampaign = ({ id, userId }: OwnedCampaign) =>
  and(eq(campaigns.id, id), eq(campaigns.userId, userId));

const record = {
  ...wireColumns(campaigns, ['user_id']),
  phone_number_ids: sql<number[]>`(SELECT coalesce(json_agg(phone_number_id ORDER BY position), '[]')
    FROM campaign_phone_numbers WHERE campaign_id = campaigns.id)`,
};

/** The campaigns of a user, oldest first. */
export const listCampaigns = ({ db }: Database, userId: number) =>
  db.select(record).from(campaigns).where(eq(campaigns.userId, userId)).orderBy(asc(campaigns.id));

/** Stores a campaign as a draft, in its assistant's time zone unless another is given. Its fields have been checked. */
export async function createCampaign({ db }: Database, userId: number, given: CreateCampaignRequest) {
  const { timezone, allowed_days: days, phone_number_ids: numbers, ...rest } = given;
  const values = {
    ...fromWire(campaigns, rest),
    userId,
    timezone: timezone ?? timezoneOf(given.assistant_id),
    ...(days && { allowedDays: weekdays.filter((day) => days.includes(day)) }),
  } as typeof campaigns.$inferInsert;
  return db.transaction(async (tx) => {
    const [created] = await tx.insert(campaigns).values(values).returning({ id: campaigns.id });
    const campaignId = created?.id ?? 0;
    const rotation = [...new Set(numbers)].map((phoneNumberId, position) => ({
      campaignId,
      phoneNumberId,
      position,
    }));
    if (rotation.length > 0) await tx.insert(campaignPhoneNumbers).values(rotation);
    return readCampaign(tx, { id: campaignId, userId });
  });
}

const timezoneOf = (assistantId: number) =>
  sql`(SELECT timezone FROM ${assistants} WHERE id = ${assistantId})`;

/** @throws Refusal if there is no such campaign. */
async function readCampaign(queries: Queries, owned: OwnedCampaign) {
  const [found] = await queries.select(record).from(campaigns).where(isOwnedCampaign(owned));
  return found ?? notFound();
}

/**
 * Deletes a campaign.
 *
 * @throws Refusal if there is no such campaign.
 */
export async function deleteCampaign({ db }: Database, owned: OwnedCampaign): Promise<void> {
  const deleted = await db.delete(campaigns).where(isOwnedCampaign(owned)).returning({ id: campaigns.id });
  if (deleted.length === 0) notFound();
}

export function notFound(): never {
  throw Refusal.notFound('Campaign');
}
