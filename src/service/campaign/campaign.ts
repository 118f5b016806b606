import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm';
import type { CreateCampaignRequest } from '../../contract/campaign.ts';
import { weekdays } from '../../contract/campaign.ts';
import { campaignPhoneNumbers, campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { assistants } from '../db/schema.ts';
import { fromWire, wireColumns } from '../db/wire-columns.ts';
import { Refusal } from '../lib/refusal.ts';

/** A campaign id with the user who must own the campaign. */
export interface OwnedCampaign {
  id: number;
  userId: number;
}

const isOfUser = (userId: number) => and(eq(campaigns.userId, userId), isNull(campaigns.deletedAt));

export const isOwnedCampaign = ({ id, userId }: OwnedCampaign) => and(eq(campaigns.id, id), isOfUser(userId));

const record = {
  ...wireColumns(campaigns, ['user_id', 'calls_made', 'paused_until', 'deleted_at']),
  phone_number_ids: sql<number[]>`(SELECT coalesce(json_agg(phone_number_id ORDER BY position), '[]')
    FROM campaign_phone_numbers WHERE campaign_id = campaigns.id)`,
};

/** Lists the campaigns of a user, oldest first. */
export const listCampaigns = ({ db }: Database, userId: number) =>
  db.select(record).from(campaigns).where(isOfUser(userId)).orderBy(asc(campaigns.id));

/**
 * Creates a campaign as a draft, by default in the assistant's time zone. Its fields must have been validated.
 *
 * @throws Refusal if the user does not have this outbound assistant.
 */
export async function createCampaign({ db }: Database, userId: number, given: CreateCampaignRequest) {
  const { timezone, allowed_days: days, phone_number_ids: numbers, ...rest } = given;
  return db.transaction(async (tx) => {
    const assistant = await findOutboundAssistant(tx, given.assistant_id, userId);
    const values = {
      ...fromWire(campaigns, rest),
      userId,
      timezone: timezone ?? assistant.timezone,
      ...(days && { allowedDays: weekdays.filter((day) => days.includes(day)) }),
    } as typeof campaigns.$inferInsert;
    const [created] = await tx.insert(campaigns).values(values).returning({ id: campaigns.id });
    const campaignId = created?.id ?? 0;
    await setCallerIds(tx, campaignId, [...new Set(numbers)]);
    return readCampaign(tx, { id: campaignId, userId });
  });
}

/** Stores the numbers that a campaign calls from, except those that were released since validation. */
async function setCallerIds(queries: Queries, campaignId: number, numberIds: number[]): Promise<void> {
  if (numberIds.length === 0) return;
  const existing = await queries
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(inArray(phoneNumbers.id, numberIds))
    .for('key share');
  const rotation = numberIds.flatMap((phoneNumberId, position) =>
    existing.some(({ id }) => id === phoneNumberId) ? [{ campaignId, phoneNumberId, position }] : [],
  );
  if (rotation.length > 0) await queries.insert(campaignPhoneNumbers).values(rotation);
}

async function findOutboundAssistant(queries: Queries, id: number, userId: number) {
  const [assistant] = await queries
    .select({ timezone: assistants.timezone })
    .from(assistants)
    .where(
      and(
        eq(assistants.id, id),
        eq(assistants.userId, userId),
        eq(assistants.type, 'outbound'),
        isNull(assistants.deletedAt),
      ),
    );
  if (!assistant) throw Refusal.notFound('Outbound assistant');
  return assistant;
}

/** @throws Refusal if the campaign does not exist. */
async function readCampaign(queries: Queries, owned: OwnedCampaign) {
  const [found] = await queries.select(record).from(campaigns).where(isOwnedCampaign(owned));
  if (!found) throw Refusal.notFound('Campaign');
  return found;
}
