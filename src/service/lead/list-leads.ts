import { and, desc, eq, sql } from 'drizzle-orm';
import type { LeadsQuery } from '../../contract/lead.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { countRecords, readTotal } from '../db/list-totals.ts';
import { hasDays, isOnDays } from '../db/is-on-days.ts';
import { leads, secondaryContacts } from '../db/leads-table.ts';
import { containsDigits } from '../db/contains-digits.ts';
import { wireColumns } from '../db/wire-columns.ts';
import { plainTimestamp } from '../db/wire-timestamp.ts';
import type { Page } from '../db/newest-page.ts';

/** A lead id with the user who must own the lead. */
export interface OwnedLead {
  id: number;
  userId: number;
}

export const isOwnedLead = ({ id, userId }: OwnedLead) => and(eq(leads.id, id), eq(leads.userId, userId));

/** Lists one page of the leads that match the filters, newest first, with their total number. */
export async function listLeads({ db }: Database, userId: number, query: LeadsQuery, { number, size }: Page) {
  const { status, campaign_id: campaignId, phone_number: digits } = query;
  const filter = and(
    eq(leads.userId, userId),
    status === undefined ? undefined : eq(leads.status, status),
    campaignId === undefined ? undefined : eq(leads.campaignId, campaignId),
    digits === undefined ? undefined : containsDigits(leads.phoneNumber, digits),
    isOnDays(leads.createdAt, query),
  );
  const page = await selectLeads(db, filter, { limit: size, offset: (number - 1) * size });
  const hasOtherFilters = digits !== undefined || hasDays(query);
  const total = hasOtherFilters
    ? await countRecords(db, leads, filter, { number, size, records: page })
    : await readTotal(db, 'leads', userId, { status, campaign_id: campaignId });
  return { total, leads: page };
}

/** Selects lead records (interface: "Lead"), newest first. */
export async function selectLeads(
  queries: Queries,
  where: ReturnType<typeof and>,
  { limit, offset }: { limit: number; offset: number } = { limit: 1, offset: 0 },
) {
  return queries
    .select({
      ...wireColumns(
        leads,
        ['user_id', 'tries', 'next_contact_id', 'next_try_at', 'call_id'],
        plainTimestamp,
      ),
      campaign: { id: campaigns.id, name: campaigns.name },
      secondary_contacts: contacts,
    })
    .from(leads)
    .innerJoin(campaigns, eq(campaigns.id, leads.campaignId))
    .where(where)
    .orderBy(desc(leads.id))
    .limit(limit)
    .offset(offset);
}

const contacts = sql<object[]>`(
  SELECT coalesce(json_agg(json_build_object(
    'id', ${secondaryContacts.id},
    'phone_number', ${secondaryContacts.phoneNumber},
    'variables', ${secondaryContacts.variables},
    'status', ${secondaryContacts.status},
    'created_at', ${plainTimestamp(secondaryContacts.createdAt)},
    'updated_at', ${plainTimestamp(secondaryContacts.updatedAt)}
  ) ORDER BY ${secondaryContacts.id}), '[]')
  FROM ${secondaryContacts} WHERE ${secondaryContacts.leadId} = ${leads.id})`;
