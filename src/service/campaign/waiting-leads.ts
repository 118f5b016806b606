import { and, eq, inArray, min, sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { leads } from '../db/leads-table.ts';

/** Leads that wait for their call. */
const waiting = ['scheduled', 'rescheduled'] as const;

/**
 * Leads whose status one look at a campaign changes; the next look takes the rest. A statement that changes all of a
 * large campaign would keep everybody waiting, and in the end be cut off.
 */
const batch = 1000;

/**
 * Has the leads of a campaign wait for their turn, or not any more.
 *
 * @returns whether that was all of them.
 */
export async function markWaiting(tx: Queries, campaignId: number, isWaiting: boolean): Promise<boolean> {
  const [from, to] = isWaiting ? (['created', 'scheduled'] as const) : (['scheduled', 'created'] as const);
  const some = tx
    .select({ id: leads.id })
    .from(leads)
    .where(and(eq(leads.campaignId, campaignId), eq(leads.status, from)))
    .orderBy(leads.id)
    .limit(batch);
  const changed = await tx
    .update(leads)
    .set({ status: to, updatedAt: sql`now()` })
    .where(inArray(leads.id, some))
    .returning({ id: leads.id });
  return changed.length < batch;
}

/** Whether any lead waits for a call, or for what one has come to. */
export async function hasLeads(tx: Queries, campaignId: number): Promise<boolean> {
  const found = await tx
    .select({ id: leads.id })
    .from(leads)
    .where(and(eq(leads.campaignId, campaignId), inArray(leads.status, ['processing', ...waiting])))
    .limit(1);
  return found.length > 0;
}

const isWaitingIn = (campaignId: number) =>
  and(eq(leads.campaignId, campaignId), inArray(leads.status, waiting));

/** Whether a lead could be called now. */
export async function hasDue(tx: Queries, campaignId: number, now: Date): Promise<boolean> {
  const [first] = await tx
    .select({ at: min(leads.nextTryAt) })
    .from(leads)
    .where(isWaitingIn(campaignId));
  return first?.at != null && new Date(first.at) <= now;
}

/** When the next lead is due that is not yet: one that is due now waits for a call to end, which sends a job. */
export async function nextTry(tx: Queries, campaignId: number, now: Date): Promise<Date | undefined> {
  const [found] = await tx
    .select({ at: min(leads.nextTryAt) })
    .from(leads)
    .where(and(isWaitingIn(campaignId), sql`${leads.nextTryAt} > ${now.toISOString()}::timestamptz`));
  return found?.at ? new Date(found.at) : undefined;
}
