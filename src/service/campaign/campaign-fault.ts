import { and, desc, eq, gte, inArray, isNotNull, ne, or } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { answeredCallStatuses } from '../../contract/call.ts';
import type { EndReason } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import type { campaigns } from '../db/campaigns-table.ts';
import type { Queries } from '../db/database.ts';
import { faultReasons } from './classify-call.ts';

type Campaign = typeof campaigns.$inferSelect;

/** Interrupted calls in a row after which a lead's call counts as a try, so that a lead is not called forever. */
const maxLeadCalls = 3;

/** A person answered. Other calls do not show whether the assistant works. */
const wasAnswered = and(inArray(calls.status, answeredCallStatuses), ne(calls.answeredBy, 'machine'));

/** The reasons for which a campaign is stopped, each with the calls that show that there is no such fault. */
const campaignFaults = { 'cut-off': wasAnswered, 'carrier-error': isNotNull(calls.dialedAt) } as const;

export type CampaignFault = keyof typeof campaignFaults;

/**
 * Returns the reason for which all latest calls of a campaign have failed since it was started, and so the next ones
 * probably would, too; undefined if there is none.
 *
 * @param latest the `end_reason` of the calls that have just ended.
 */
export async function findCampaignFault(
  tx: Queries,
  campaign: Campaign,
  latest: readonly unknown[],
): Promise<CampaignFault | undefined> {
  // More than a single fault interrupts.
  const number = campaign.maxCallsInParallel + 2;
  for (const fault of ['cut-off', 'carrier-error'] as const) {
    if (!latest.includes(fault)) continue;
    const found = await readLatest(tx, isSinceStart(campaign), number, [fault], campaignFaults[fault]);
    if (found.length === number && found.every((reason) => reason === fault)) return fault;
  }
  return undefined;
}

/** Whether faults have ended the latest calls of a lead and of its contacts, but not those of the whole campaign. */
export async function hasRepeatedFaults(
  tx: Queries,
  campaign: Campaign,
  { leadId, endReason }: { leadId: number; endReason?: string | null },
): Promise<boolean> {
  const fault = 'carrier-error';
  if (endReason === fault) {
    const others = campaignFaults[fault];
    const ofCampaign = await readLatest(tx, isSinceStart(campaign), maxLeadCalls, [fault], others);
    if (ofCampaign.every((reason) => reason === fault)) return false;
  }
  const ofLead = await readLatest(tx, eq(calls.leadId, leadId), maxLeadCalls, faultReasons, wasAnswered);
  return (
    ofLead.length === maxLeadCalls &&
    ofLead.every((reason) => reason !== null && (faultReasons as readonly string[]).includes(reason))
  );
}

/** Only a start or a stop updates a campaign. */
const isSinceStart = ({ id, updatedAt }: Campaign) =>
  and(eq(calls.campaignId, id), gte(calls.endedAt, updatedAt));

/** Reads the `end_reason` of the latest calls that have one of these reasons, or match `others`. */
async function readLatest(
  tx: Queries,
  condition: SQL | undefined,
  number: number,
  reasons: readonly EndReason[],
  others: SQL | undefined,
): Promise<(string | null)[]> {
  const latest = await tx
    .select({ endReason: calls.endReason })
    .from(calls)
    .where(and(condition, or(inArray(calls.endReason, reasons), others)))
    .orderBy(desc(calls.endedAt), desc(calls.id))
    .limit(number);
  return latest.map(({ endReason }) => endReason);
}
