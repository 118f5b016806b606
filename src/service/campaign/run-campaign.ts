import { and, count, eq, inArray, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { affordableCalls, readCallBalance } from '../billing/call-balance.ts';
import { callMinutePrice } from '../billing/prices.ts';
import { countStartedCalls, readFreeCalls } from '../billing/call-limits.ts';
import type { CallLimits } from '../billing/call-limits.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import { databaseTime } from '../db/database-time.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { nextCallingTime } from './calling-hours.ts';
import { callLeads } from './call-leads.ts';
import { continueDeletion } from './delete-campaign.ts';
import { sendTick } from './send-tick.ts';
import { updateCalledLeads } from './update-called-leads.ts';
import { hasDueLead, hasUnfinishedLeads, nextDueTime, setScheduled } from './scheduled-leads.ts';

/** Milliseconds for which a campaign pauses after an error of the carrier, which may last for seconds only. */
const carrierPause = 60_000;

/** Milliseconds after which a campaign checks again that lacks balance, or whose owner has reached a limit of calls. */
const limitPause = 10_000;

/** Dependencies of {@link runCampaign}. */
export interface CampaignDependencies {
  database: Database;
  jobs: Jobs;
  limits: CallLimits;
}

/**
 * Runs a campaign's next step: updates leads whose calls have ended, stores as many calls as allowed in parallel, stops
 * or completes the campaign, and schedules the next step. A step is one transaction that locks the campaign's row, so
 * steps do not overlap, and a call is stored together with its lead's status and its job. The steps of a deleted campaign
 * delete its leads.
 *
 * @param at the current time; the database's by default.
 */
export async function runCampaign(
  { database, jobs, limits }: CampaignDependencies,
  campaignId: number,
  at?: Date,
) {
  await database.db.transaction(async (tx) => {
    const [campaign] = await tx
      .select()
      .from(campaigns)
      .where(eq(campaigns.id, campaignId))
      .for('no key update');
    if (!campaign) return;
    if (campaign.deletedAt !== null) {
      await continueDeletion({ tx, jobs }, campaignId);
      return;
    }
    const now = at ?? (await databaseTime(tx));
    const { overdueAt, fault, hasCarrierError } = await updateCalledLeads(tx, campaign, now);
    if (fault) await stopCampaign({ tx, jobs }, campaignId, fault);
    const isRunning = campaign.status === 'in-progress' && !fault;
    const allScheduled = await setScheduled(tx, campaignId, isRunning);
    const pausedUntil = hasCarrierError ? await pause(tx, campaignId, now) : campaign.pausedUntil;
    const step = { tx, jobs, now, limits };
    const next = isRunning ? await advance(step, { ...campaign, pausedUntil }) : undefined;
    const nextStep = earliest([next, ...overdueAt, allScheduled ? undefined : now]);
    if (!nextStep) return;
    await jobs.send(
      'campaign-tick',
      { campaignId },
      { startAfter: Math.max(0, nextStep.getTime() - now.getTime()), tx },
    );
  });
}

/** Pauses a campaign after an error of the carrier. It is stored, since other events cause steps, too. */
async function pause(tx: Queries, campaignId: number, now: Date): Promise<string> {
  const pausedUntil = new Date(now.getTime() + carrierPause).toISOString();
  await tx.update(campaigns).set({ pausedUntil }).where(eq(campaigns.id, campaignId));
  return pausedUntil;
}

type Campaign = typeof campaigns.$inferSelect;

interface Step {
  tx: Queries;
  jobs: Jobs;
  now: Date;
  limits: CallLimits;
}

/** @returns the time of the next step; undefined if another event sends its job. */
async function advance(step: Step, campaign: Campaign): Promise<Date | undefined> {
  const { tx, jobs, now, limits } = step;
  const [assistant] = await tx.select().from(assistants).where(eq(assistants.id, campaign.assistantId));
  if (!assistant || assistant.deletedAt !== null || assistant.type !== 'outbound') {
    return stopCampaign({ tx, jobs }, campaign.id, 'no-assistant');
  }
  if (!(await hasUnfinishedLeads(tx, campaign.id))) {
    if (campaign.markCompleteWhenNoLeads) await setStatus(tx, campaign.id, { status: 'completed' });
    return undefined;
  }
  const callingTime = nextCallingTime(campaign, now);
  if (!callingTime || callingTime > now) return callingTime;
  const pausedUntil = campaign.pausedUntil === null ? now : new Date(campaign.pausedUntil);
  if (pausedUntil > now) return pausedUntil;
  const free = campaign.maxCallsInParallel - (await countOpenCalls(tx, campaign.id));
  if (free <= 0 || !(await hasDueLead(tx, campaign.id, now))) return nextDueTime(tx, campaign.id, now);
  const price = callMinutePrice(assistant.mode);
  const { balance, available } = await readCallBalance(tx, campaign.userId);
  if (affordableCalls(balance, price) === 0) {
    return stopCampaign({ tx, jobs }, campaign.id, 'insufficient-balance');
  }
  // Calls of other campaigns may release some of the balance or end, and daily limits start again at midnight (UTC).
  // None of that notifies this campaign.
  const affordable = affordableCalls(available, price);
  const { free: allowed } = await readFreeCalls(tx, campaign.userId, limits);
  if (affordable === 0 || allowed === 0) return new Date(now.getTime() + limitPause);
  const { made, hasMore } = await callLeads(
    { tx, jobs },
    campaign,
    assistant,
    now,
    Math.min(free, affordable, allowed),
  );
  await countStartedCalls(tx, campaign.userId, made);
  // If the last numbers are blocked, no call ends that would send the next step's job.
  if (hasMore || !(await hasUnfinishedLeads(tx, campaign.id))) return now;
  return nextDueTime(tx, campaign.id, now);
}

/** Stops a campaign in progress; its scheduled leads return to `created`. */
export async function stopCampaign(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  campaignId: number,
  reason: string | null,
): Promise<undefined> {
  await setStatus(tx, campaignId, { status: 'stopped', stopReason: reason });
  if (!(await setScheduled(tx, campaignId, false))) await sendTick(jobs, tx, campaignId);
}

const setStatus = (tx: Queries, id: number, values: Partial<typeof campaigns.$inferInsert>) =>
  tx
    .update(campaigns)
    .set({ ...values, updatedAt: sql`now()` })
    .where(and(eq(campaigns.id, id), eq(campaigns.status, 'in-progress')));

async function countOpenCalls(tx: Queries, campaignId: number): Promise<number> {
  const [found] = await tx
    .select({ open: count() })
    .from(calls)
    .where(and(eq(calls.campaignId, campaignId), inArray(calls.status, openCallStatuses)));
  return found?.open ?? 0;
}

const earliest = (times: (Date | undefined)[]): Date | undefined =>
  times.reduce((first, time) => (time && (!first || time < first) ? time : first), undefined);
