import { and, eq, sql } from 'drizzle-orm';
import type { CreateLeadRequest, UpdateLeadRequest } from '../../contract/lead.ts';
import { recordLimits } from '../../contract/limits.ts';
import { isOwnedCampaign } from '../campaign/campaign.ts';
import type { OwnedCampaign } from '../campaign/campaign.ts';
import { sendTick } from '../campaign/send-tick.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { leads, secondaryContacts } from '../db/leads-table.ts';
import { Refusal, sentence } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { isOwnedLead, selectLeads } from './list-leads.ts';
import type { OwnedLead } from './list-leads.ts';

const { count } = recordLimits.variables;

const errorOf = (field: string, what: string) => ({ [field]: [sentence(field, what)] });
const noCampaign = () => errorOf('campaign_id', 'selected is invalid.');

/** What changes of leads take: their campaign is told. */
interface Writing {
  database: Database;
  jobs: Jobs;
}

/** What the database finds wrong with the campaign that a lead is to be of. */
export async function checkLead(
  { db }: Database,
  userId: number,
  { campaign_id: id }: { campaign_id?: number | undefined },
): Promise<FieldErrors> {
  if (id === undefined) return {};
  const [campaign] = await selectCampaign(db, { id, userId });
  return campaign ? {} : noCampaign();
}

const selectCampaign = (queries: Queries, owned: OwnedCampaign) =>
  queries.select({ id: campaigns.id }).from(campaigns).where(isOwnedCampaign(owned));

/** Keeps a campaign from being deleted meanwhile, and of two requests that add to it makes the second wait. */
async function lockCampaign(queries: Queries, owned: OwnedCampaign): Promise<void> {
  const [campaign] = await selectCampaign(queries, owned).for('no key update');
  if (!campaign) throw Refusal.invalid(noCampaign());
}

/**
 * Adds a lead to a campaign, with its secondary contacts. Its fields have been checked.
 *
 * @throws Refusal if the campaign has its number already and that is not allowed.
 */
export async function createLead(
  { database: { db }, jobs }: Writing,
  userId: number,
  given: CreateLeadRequest,
) {
  const { campaign_id: campaignId, phone_number: phoneNumber, secondary_contacts: contacts } = given;
  return db.transaction(async (tx) => {
    await lockCampaign(tx, { id: campaignId, userId });
    if (given.allow_dupplicate !== true) await refuseDuplicate(tx, { campaignId, phoneNumber });
    const [created] = await tx
      .insert(leads)
      .values({ userId, campaignId, phoneNumber, variables: given.variables ?? {} })
      .returning({ id: leads.id });
    const leadId = created?.id ?? 0;
    if (contacts && contacts.length > 0) {
      await tx.insert(secondaryContacts).values(
        contacts.map((contact) => ({
          leadId,
          phoneNumber: contact.phone_number,
          variables: contact.variables ?? {},
        })),
      );
    }
    await sendTick(jobs, tx, campaignId);
    return readLead(tx, { id: leadId, userId });
  });
}

/** Whoever asks holds the lock of the campaign. */
async function refuseDuplicate(
  queries: Queries,
  { campaignId, phoneNumber }: { campaignId: number; phoneNumber: string },
): Promise<void> {
  const [duplicate] = await queries
    .select({ id: leads.id })
    .from(leads)
    .where(and(eq(leads.campaignId, campaignId), eq(leads.phoneNumber, phoneNumber)))
    .limit(1);
  if (duplicate) {
    throw Refusal.invalid(errorOf('phone_number', 'must not be that of another lead of the campaign.'));
  }
}

/** @throws Refusal if there is no such lead. */
export async function readLead(queries: Queries, owned: OwnedLead) {
  const [found] = await selectLeads(queries, isOwnedLead(owned));
  return found ?? notFound();
}

/**
 * Changes the given fields of a lead; variables are laid over those that it has.
 *
 * @throws Refusal if there is no such lead, it would have too many variables, or another of the campaign has its number
 *   and that is not allowed.
 */
export async function updateLead(
  { database: { db }, jobs }: Writing,
  owned: OwnedLead,
  given: UpdateLeadRequest,
) {
  const { campaign_id: campaignId, phone_number: phoneNumber, status } = given;
  return db.transaction(async (tx) => {
    // A campaign is locked before its leads, as when it is deleted.
    const target = campaignId ?? (phoneNumber === undefined ? undefined : await campaignOf(tx, owned));
    if (target !== undefined) await lockCampaign(tx, { id: target, userId: owned.userId });
    const [before] = await tx
      .select({ variables: leads.variables, campaignId: leads.campaignId, phoneNumber: leads.phoneNumber })
      .from(leads)
      .where(isOwnedLead(owned))
      .for('update');
    if (!before) return notFound();
    const after = {
      campaignId: campaignId ?? before.campaignId,
      phoneNumber: phoneNumber ?? before.phoneNumber,
    };
    const goesElsewhere = after.campaignId !== before.campaignId || after.phoneNumber !== before.phoneNumber;
    if (goesElsewhere && given.allow_dupplicate !== true) await refuseDuplicate(tx, after);
    const variables = { ...before.variables, ...given.variables };
    if (Object.keys(variables).length > count) {
      throw Refusal.invalid(
        errorOf('variables', `must not have more than ${count} items with those it has.`),
      );
    }
    await tx
      .update(leads)
      .set({
        ...after,
        ...(status === undefined ? {} : { status }),
        // Who makes a lead new again wants it called as if it were.
        ...(status === 'created' && {
          tries: 0,
          nextContactId: null,
          nextTryAt: sql`now()`,
        }),
        variables,
        updatedAt: sql`now()`,
      })
      .where(isOwnedLead(owned));
    // In order, as everybody who tells several.
    const told = new Set([before.campaignId, after.campaignId]);
    for (const id of [...told].sort((a, b) => a - b)) await sendTick(jobs, tx, id);
    return readLead(tx, owned);
  });
}

async function campaignOf(queries: Queries, owned: OwnedLead): Promise<number> {
  const [found] = await queries.select({ id: leads.campaignId }).from(leads).where(isOwnedLead(owned));
  return found ? found.id : notFound();
}

/**
 * Deletes a lead with its secondary contacts.
 *
 * @throws Refusal if there is no such lead.
 */
export async function deleteLead({ database: { db }, jobs }: Writing, owned: OwnedLead): Promise<void> {
  await db.transaction(async (tx) => {
    const [deleted] = await tx
      .delete(leads)
      .where(isOwnedLead(owned))
      .returning({ campaignId: leads.campaignId });
    if (!deleted) return notFound();
    await sendTick(jobs, tx, deleted.campaignId);
  });
}

function notFound(): never {
  throw Refusal.notFound('Lead');
}
