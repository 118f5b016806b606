import { and, eq, inArray, min, sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { leads } from '../db/leads-table.ts';

/** Statuses of leads that wait for a call. */
const scheduledStatuses = ['scheduled', 'rescheduled'] as const;

/**
 * Maximum number of leads that one step of a campaign changes; the next step continues. A single statement for a large
 * campaign would block others and time out.
 */
const batchSize = 1000;

/**
 * Changes leads from `created` to `scheduled`, or back.
 *
 * @returns whether all leads have been changed.
 */
export async function setScheduled(tx: Queries, campaignId: number, isScheduled: boolean): Promise<boolean> {
  const [from, to] = isScheduled ? (['created', 'scheduled'] as const) : (['scheduled', 'created'] as const);
  const batch = tx
    .select({ id: leads.id })
    .from(leads)
    .where(and(eq(leads.campaignId, campaignId), eq(leads.status, from)))
    .orderBy(leads.id)
    .limit(batchSize)
    // Excludes those whose owner changes their status meanwhile.
    .for('no key update');
  const changed = await tx
    .update(leads)
    .set({ status: to, updatedAt: sql`now()` })
    .where(inArray(leads.id, batch))
    .returning({ id: leads.id });
  return changed.length < batchSize;
}

/** Whether any lead is waiting for a call or for its outcome. */
export async function hasUnfinishedLeads(tx: Queries, campaignId: number): Promise<boolean> {
  const found = await tx
    .select({ id: leads.id })
    .from(leads)
    .where(and(eq(leads.campaignId, campaignId), inArray(leads.status, ['processing', ...scheduledStatuses])))
    .limit(1);
  return found.length > 0;
}

const isScheduledIn = (campaignId: number) =>
  and(eq(leads.campaignId, campaignId), inArray(leads.status, scheduledStatuses));

/** Whether a lead is due to be called. */
export async function hasDueLead(tx: Queries, campaignId: number, now: Date): Promise<boolean> {
  const [first] = await tx
    .select({ at: min(leads.nextTryAt) })
    .from(leads)
    .where(isScheduledIn(campaignId));
  return first?.at != null && new Date(first.at) <= now;
}

/** Returns the next due time after `now`. Leads already due wait for a call to end, which sends a job. */
export async function nextDueTime(tx: Queries, campaignId: number, now: Date): Promise<Date | undefined> {
  const [found] = await tx
    .select({ at: min(leads.nextTryAt) })
    .from(leads)
    .where(and(isScheduledIn(campaignId), sql`${leads.nextTryAt} > ${now.toISOString()}::timestamptz`));
  return found?.at ? new Date(found.at) : undefined;
}
