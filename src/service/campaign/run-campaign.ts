import { and, count, eq, inArray, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { callsFor, readCallMoney } from '../billing/call-money.ts';
import { callMinutePrice } from '../billing/prices.ts';
import { calls } from '../db/calls-table.ts';
import { campaigns } from '../db/campaigns-table.ts';
import { databaseTime } from '../db/database-time.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { nextCallingTime } from './calling-hours.ts';
import { callLeads } from './call-leads.ts';
import { sendTick } from './send-tick.ts';
import { settleLeads } from './settle-leads.ts';
import { hasDue, hasLeads, markWaiting, nextTry } from './waiting-leads.ts';

/** What running a campaign takes. */
export interface CampaignParts {
  database: Database;
  jobs: Jobs;
  /** How often a campaign looks for the evaluation, or the balance, that it waits for, in milliseconds. */
  pollMs: number;
}

/**
 * Does what is to be done for a campaign now: gives leads whose calls are over their next state, calls as many as may
 * be called at once, stops or completes it, and sends the job by which it is looked at next. The campaign's row is
 * locked, so this happens once at a time, and all of it or nothing: a call exists together with its lead's new state
 * and its job.
 *
 * @param at the time that counts; by the database's clock unless given.
 */
export async function runCampaign({ database, jobs, pollMs }: CampaignParts, campaignId: number, at?: Date) {
  await database.db.transaction(async (tx) => {
    const [campaign] = await tx
      .select()
      .from(campaigns)
      .where(eq(campaigns.id, campaignId))
      .for('no key update');
    if (!campaign) return;
    const now = at ?? (await databaseTime(tx));
    const awaitsEvaluation = await settleLeads(tx, campaign, now);
    const isRunning = campaign.status === 'in-progress';
    const areMarked = await markWaiting(tx, campaignId, isRunning);
    const soon = new Date(now.getTime() + pollMs);
    const next = isRunning ? await advance({ tx, jobs, now, soon }, campaign) : undefined;
    const nextLook = earliest([next, awaitsEvaluation ? soon : undefined, areMarked ? undefined : now]);
    if (!nextLook) return;
    await jobs.send(
      'campaign-tick',
      { campaignId },
      { startAfter: Math.max(0, nextLook.getTime() - now.getTime()), tx },
    );
  });
}

type Campaign = typeof campaigns.$inferSelect;

/** A look at a campaign. */
interface Look {
  tx: Queries;
  jobs: Jobs;
  now: Date;
  /** When to look again for what tells nobody that it has come. */
  soon: Date;
}

/** @returns when there is something to do that nothing else would send a job for. */
async function advance({ tx, jobs, now, soon }: Look, campaign: Campaign): Promise<Date | undefined> {
  const [assistant] = await tx.select().from(assistants).where(eq(assistants.id, campaign.assistantId));
  if (!assistant || assistant.deletedAt !== null || assistant.type !== 'outbound') {
    return stopCampaign({ tx, jobs }, campaign.id, 'no-assistant');
  }
  if (!(await hasLeads(tx, campaign.id))) {
    if (campaign.markCompleteWhenNoLeads) await setStatus(tx, campaign.id, { status: 'completed' });
    return undefined;
  }
  const callingTime = nextCallingTime(campaign, now);
  if (!callingTime || callingTime > now) return callingTime;
  const free = campaign.maxCallsInParallel - (await countOpenCalls(tx, campaign.id));
  if (free <= 0 || !(await hasDue(tx, campaign.id, now))) return nextTry(tx, campaign.id, now);
  const price = callMinutePrice(assistant.mode);
  const money = await readCallMoney(tx, campaign.userId);
  if (callsFor(money.balance, price) === 0) {
    return stopCampaign({ tx, jobs }, campaign.id, 'insufficient-balance');
  }
  // The owner's other calls may leave some of it: their ends are not told to this campaign.
  const affordable = callsFor(money.free, price);
  if (affordable === 0) return soon;
  await callLeads({ tx, jobs }, campaign, assistant, now, Math.min(free, affordable));
  return nextTry(tx, campaign.id, now);
}

/** Stops a campaign; what waits for its turn waits for its next start. */
export async function stopCampaign(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  campaignId: number,
  reason: string | null,
): Promise<undefined> {
  await setStatus(tx, campaignId, { status: 'stopped', stopReason: reason });
  if (!(await markWaiting(tx, campaignId, false))) await sendTick(jobs, tx, campaignId);
}

const setStatus = (tx: Queries, id: number, values: Partial<typeof campaigns.$inferInsert>) =>
  tx
    .update(campaigns)
    .set({ ...values, updatedAt: sql`now()` })
    .where(eq(campaigns.id, id));

async function countOpenCalls(tx: Queries, campaignId: number): Promise<number> {
  const [found] = await tx
    .select({ open: count() })
    .from(calls)
    .where(and(eq(calls.campaignId, campaignId), inArray(calls.status, openCallStatuses)));
  return found?.open ?? 0;
}

const earliest = (moments: (Date | undefined)[]): Date | undefined =>
  moments.reduce((first, moment) => (moment && (!first || moment < first) ? moment : first), undefined);
