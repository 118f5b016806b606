import { and, eq, gt, inArray, notInArray, sql } from 'drizzle-orm';
import type { campaigns } from '../db/campaigns-table.ts';
import type { Queries } from '../db/database.ts';
import { blockedNumbers, leads, secondaryContacts } from '../db/leads-table.ts';

type Campaign = typeof campaigns.$inferSelect;
type LeadStatus = (typeof leads.$inferSelect)['status'];

/**
 * Schedules a call to the next contact or, after the last contact, a retry of the lead, up to the maximum number of
 * retries.
 */
export async function scheduleNextTry(
  tx: Queries,
  campaign: Campaign,
  { leadId, tries, contactId }: { leadId: number; tries: number; contactId: number | null },
  now: Date,
): Promise<void> {
  const [next] = await tx
    .select({ id: secondaryContacts.id })
    .from(secondaryContacts)
    .where(
      and(
        eq(secondaryContacts.leadId, leadId),
        gt(secondaryContacts.id, contactId ?? 0),
        notInArray(secondaryContacts.status, ['completed', 'blacklisted']),
        sql`NOT EXISTS (SELECT 1 FROM ${blockedNumbers} JOIN ${leads} ON ${leads.userId} = ${blockedNumbers.userId}
          WHERE ${leads.id} = ${leadId} AND ${blockedNumbers.phoneNumber} = ${secondaryContacts.phoneNumber})`,
      ),
    )
    .orderBy(secondaryContacts.id)
    .limit(1);
  if (next) {
    await setLead(tx, leadId, {
      status: 'rescheduled',
      nextContactId: next.id,
      nextTryAt: now.toISOString(),
    });
    return;
  }
  if (tries >= campaign.maxRetries) {
    await setLead(tx, leadId, { status: 'reached-max-retries', tries: tries + 1, nextContactId: null });
    await setContacts(
      tx,
      and(
        eq(secondaryContacts.leadId, leadId),
        inArray(secondaryContacts.status, ['rescheduled', 'processing']),
      ),
      'reached-max-retries',
    );
    return;
  }
  const nextTryAt = nextRetryAt(campaign, now);
  await setLead(tx, leadId, { status: 'rescheduled', tries: tries + 1, nextContactId: null, nextTryAt });
}

/** Returns the end of the retry interval. */
export const nextRetryAt = ({ retryInterval }: Campaign, now: Date): string =>
  new Date(now.getTime() + retryInterval * 60_000).toISOString();

export const setLead = (tx: Queries, leadId: number, values: Partial<typeof leads.$inferInsert>) =>
  tx
    .update(leads)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(leads.id, leadId));

export const setContacts = (tx: Queries, condition: ReturnType<typeof and>, status: LeadStatus) =>
  tx
    .update(secondaryContacts)
    .set({ status, updatedAt: sql`now()` })
    .where(condition);
