import { and, count, eq, inArray, min, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { callMinutePrice } from '../billing/prices.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { leads } from '../db/leads-table.ts';
import { assistants, users } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { nextCallingTime } from './calling-hours.ts';
import { callLeads } from './call-leads.ts';
import { settleLeads } from './settle-leads.ts';

/** What running a campaign takes. */
export interface CampaignParts {
  database: Database;
  jobs: Jobs;
  /** How often a campaign looks for evaluations that it waits for, in milliseconds. */
  pollMs: number;
}

/** Leads that wait for their call. */
const waiting = ['scheduled', 'rescheduled'] as const;

/**
 * Does what is to be done for a campaign now: gives leads whose calls are over their next state, calls as many as may
 * be called at once, stops or completes it, and sends the job by which it is looked at next. The campaign's row is
 * locked, so this happens once at a time, and all of it or nothing: a call exists together with its lead's new state
 * and its job.
 */
export async function runCampaign({ database, jobs, pollMs }: CampaignParts, campaignId: number, now: Date) {
  await database.db.transaction(async (tx) => {
    const [campaign] = await tx
      .select()
      .from(campaigns)
      .where(eq(campaigns.id, campaignId))
      .for('no key update');
    if (!campaign) return;
    const awaitsEvaluation = await settleLeads(tx, campaign, now);
    const next = campaign.status === 'in-progress' ? await advance(tx, jobs, campaign, now) : undefined;
    const poll = awaitsEvaluation ? new Date(now.getTime() + pollMs) : undefined;
    const at = earliest([next, poll]);
    if (!at) return;
    await jobs.send(
      'campaign-tick',
      { campaignId },
      { key: String(campaignId), startAfterMs: Math.max(0, at.getTime() - now.getTime()), tx },
    );
  });
}

type Campaign = typeof campaigns.$inferSelect;

/** @returns when there is something to do that nothing else would send a job for. */
async function advance(tx: Queries, jobs: Jobs, campaign: Campaign, now: Date): Promise<Date | undefined> {
  await tx
    .update(leads)
    .set({ status: 'scheduled', updatedAt: sql`now()` })
    .where(and(eq(leads.campaignId, campaign.id), eq(leads.status, 'created')));
  const [assistant] = await tx.select().from(assistants).where(eq(assistants.id, campaign.assistantId));
  if (!assistant || assistant.deletedAt !== null) return stopCampaign(tx, campaign.id, 'no-assistant');
  if (!(await hasLeads(tx, campaign.id))) {
    if (campaign.markCompleteWhenNoLeads) await setStatus(tx, campaign.id, { status: 'completed' });
    return undefined;
  }
  const callingTime = nextCallingTime(campaign, now);
  if (!callingTime || callingTime > now) return callingTime;
  const free = campaign.maxCallsInParallel - (await countOpenCalls(tx, campaign.id));
  if (free > 0) {
    const [owner] = await tx
      .select({ balance: users.balance })
      .from(users)
      .where(eq(users.id, campaign.userId));
    if (
      Number(owner?.balance) < Number(callMinutePrice(assistant.mode)) &&
      (await hasDue(tx, campaign.id, now))
    ) {
      return stopCampaign(tx, campaign.id, 'insufficient-balance');
    }
    await callLeads({ tx, jobs }, campaign, assistant, now, free);
  }
  return nextTry(tx, campaign.id, now);
}

/** Stops a campaign; what waits for its turn waits for its next start. */
export async function stopCampaign(
  tx: Queries,
  campaignId: number,
  reason: string | null,
): Promise<undefined> {
  await setStatus(tx, campaignId, { status: 'stopped', stopReason: reason });
  await tx
    .update(leads)
    .set({ status: 'created', updatedAt: sql`now()` })
    .where(and(eq(leads.campaignId, campaignId), eq(leads.status, 'scheduled')));
}

const setStatus = (tx: Queries, id: number, values: Partial<typeof campaigns.$inferInsert>) =>
  tx
    .update(campaigns)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(campaigns.id, id));

/** Whether any lead waits for a call, or for what one has come to. */
async function hasLeads(tx: Queries, campaignId: number): Promise<boolean> {
  const found = await tx
    .select({ id: leads.id })
    .from(leads)
    .where(and(eq(leads.campaignId, campaignId), inArray(leads.status, ['processing', ...waiting])))
    .limit(1);
  return found.length > 0;
}

async function countOpenCalls(tx: Queries, campaignId: number): Promise<number> {
  const [found] = await tx
    .select({ open: count() })
    .from(calls)
    .where(and(eq(calls.campaignId, campaignId), inArray(calls.status, openCallStatuses)));
  return found?.open ?? 0;
}

const isWaiting = (campaignId: number) =>
  and(eq(leads.campaignId, campaignId), inArray(leads.status, waiting));

async function hasDue(tx: Queries, campaignId: number, now: Date): Promise<boolean> {
  const at = await firstTry(tx, campaignId);
  return at !== undefined && at <= now;
}

/** When the next lead is due that is not yet: one that is due now waits for a call to end, which sends a job. */
async function nextTry(tx: Queries, campaignId: number, now: Date): Promise<Date | undefined> {
  const [found] = await tx
    .select({ at: min(leads.nextTryAt) })
    .from(leads)
    .where(and(isWaiting(campaignId), sql`${leads.nextTryAt} > ${now.toISOString()}::timestamptz`));
  return found?.at ? new Date(found.at) : undefined;
}

async function firstTry(tx: Queries, campaignId: number): Promise<Date | undefined> {
  const [found] = await tx
    .select({ at: min(leads.nextTryAt) })
    .from(leads)
    .where(isWaiting(campaignId));
  return found?.at ? new Date(found.at) : undefined;
}

const earliest = (moments: (Date | undefined)[]): Date | undefined =>
  moments.reduce((first, moment) => (moment && (!first || moment < first) ? moment : first), undefined);
