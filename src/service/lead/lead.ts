import { and, eq, ne, sql } from 'drizzle-orm';
import type { CreateLeadRequest, UpdateLeadRequest } from '../../contract/lead.ts';
import { recordLimits } from '../../contract/limits.ts';
import { numberProblem } from '../lib/callable-number.ts';
import type { AllowedCountries } from '../lib/callable-number.ts';
import { isOwnedCampaign } from '../campaign/campaign.ts';
import type { OwnedCampaign } from '../campaign/campaign.ts';
import { sendTick } from '../campaign/send-tick.ts';
import { setContacts } from '../campaign/schedule-next-try.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { leads, secondaryContacts } from '../db/leads-table.ts';
import { Refusal, sentence } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { isOwnedLead, selectLeads } from './list-leads.ts';
import type { OwnedLead } from './list-leads.ts';

const { count } = recordLimits.variables;

const fieldError = (field: string, rule: string) => ({ [field]: [sentence(field, rule)] });
const invalidCampaign = () => fieldError('campaign_id', 'selected is invalid.');

/** Dependencies of functions that change leads and notify their campaigns. */
interface LeadDependencies {
  database: Database;
  jobs: Jobs;
}

/** Validates the campaign of a lead, and whether its numbers may be called. */
export async function checkLead(
  { db }: Database,
  userId: number,
  given: Partial<CreateLeadRequest> | UpdateLeadRequest,
  countries: AllowedCountries,
): Promise<FieldErrors> {
  const { campaign_id: id, phone_number: number } = given;
  const contacts = 'secondary_contacts' in given ? given.secondary_contacts : undefined;
  const errors: FieldErrors = {};
  const checkNumber = (field: string, checked: string | undefined) => {
    const problem = checked === undefined ? undefined : numberProblem(checked, countries);
    if (problem !== undefined) errors[field] = [problem];
  };
  checkNumber('phone_number', number);
  for (const [index, contact] of (contacts ?? []).entries()) {
    checkNumber(`secondary_contacts.${index}.phone_number`, contact.phone_number);
  }
  if (id === undefined) return errors;
  const [campaign] = await selectCampaign(db, { id, userId });
  return campaign ? errors : { ...invalidCampaign(), ...errors };
}

const selectCampaign = (queries: Queries, owned: OwnedCampaign) =>
  queries.select({ id: campaigns.id }).from(campaigns).where(isOwnedCampaign(owned));

/** Prevents the campaign from being deleted, and serializes requests that add leads to it. */
async function lockCampaign(queries: Queries, owned: OwnedCampaign): Promise<void> {
  const [campaign] = await selectCampaign(queries, owned).for('no key update');
  if (!campaign) throw Refusal.invalid(invalidCampaign());
}

/**
 * Adds a lead with its secondary contacts to a campaign. Its fields must have been validated.
 *
 * @throws Refusal if the campaign already has the number and duplicates are not allowed.
 */
export async function createLead(
  { database: { db }, jobs }: LeadDependencies,
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

/** The caller must hold the lock of the campaign. */
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
    throw Refusal.invalid(fieldError('phone_number', 'must not be that of another lead of the campaign.'));
  }
}

/** @throws Refusal if the lead does not exist. */
export async function readLead(queries: Queries, owned: OwnedLead) {
  const [found] = await selectLeads(queries, isOwnedLead(owned));
  return found ?? notFound();
}

/**
 * Changes the given fields of a lead; variables are merged.
 *
 * @throws Refusal if the lead does not exist or would have too many variables, or if the campaign already has the
 *   number and duplicates are not allowed.
 */
export async function updateLead(
  { database: { db }, jobs }: LeadDependencies,
  owned: OwnedLead,
  given: UpdateLeadRequest,
) {
  const { campaign_id: campaignId, phone_number: phoneNumber, status } = given;
  return db.transaction(async (tx) => {
    // The campaign is locked before its leads, in the same order as when it is deleted.
    const target = campaignId ?? (phoneNumber === undefined ? undefined : await readCampaignId(tx, owned));
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
    const needsDuplicateCheck =
      after.campaignId !== before.campaignId || after.phoneNumber !== before.phoneNumber;
    if (needsDuplicateCheck && given.allow_dupplicate !== true) await refuseDuplicate(tx, after);
    const variables = { ...before.variables, ...given.variables };
    if (Object.keys(variables).length > count) {
      throw Refusal.invalid(
        fieldError('variables', `must not have more than ${count} items, including the existing ones.`),
      );
    }
    await tx
      .update(leads)
      .set({
        ...after,
        ...(status === undefined ? {} : { status }),
        // Resets the tries, so that the lead is called like a new one.
        ...(status === 'created' && {
          tries: 0,
          nextContactId: null,
          nextTryAt: sql`now()`,
        }),
        variables,
        updatedAt: sql`now()`,
      })
      .where(isOwnedLead(owned));
    if (status !== undefined) {
      const isChanged =
        status === 'created'
          ? ne(secondaryContacts.status, 'blacklisted')
          : // The end of its call no longer changes it.
            eq(secondaryContacts.status, 'processing');
      await setContacts(tx, and(eq(secondaryContacts.leadId, owned.id), isChanged), status);
    }
    // Sorted to avoid deadlocks, as in notifyCampaigns.
    const campaignIds = new Set([before.campaignId, after.campaignId]);
    for (const id of [...campaignIds].sort((a, b) => a - b)) await sendTick(jobs, tx, id);
    return readLead(tx, owned);
  });
}

async function readCampaignId(queries: Queries, owned: OwnedLead): Promise<number> {
  const [found] = await queries.select({ id: leads.campaignId }).from(leads).where(isOwnedLead(owned));
  return found ? found.id : notFound();
}

/**
 * Deletes a lead with its secondary contacts.
 *
 * @throws Refusal if the lead does not exist.
 */
export async function deleteLead(
  { database: { db }, jobs }: LeadDependencies,
  owned: OwnedLead,
): Promise<void> {
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
