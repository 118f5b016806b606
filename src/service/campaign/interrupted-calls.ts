import { and, desc, eq, gte, inArray, ne, or } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { answeredCallStatuses } from '../../contract/call.ts';
import type { EndReason } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import type { campaigns } from '../db/campaigns-table.ts';
import type { Queries } from '../db/database.ts';
import { interruptions } from './classify-call.ts';

type Campaign = typeof campaigns.$inferSelect;

/** Interrupted calls in a row after which a lead's call counts as a try, so that a lead is not called forever. */
const maxLeadCalls = 3;

/**
 * Whether errors have cut off all latest calls of a campaign since it was started, and so would probably cut off the
 * next ones, too.
 */
export const isCampaignCutOff = (
  tx: Queries,
  { id, maxCallsInParallel, updatedAt }: Campaign,
): Promise<boolean> =>
  haveLatestEndedSo(
    tx,
    // Only a start or a stop updates a campaign.
    and(eq(calls.campaignId, id), gte(calls.endedAt, updatedAt)),
    // More than a single fault interrupts.
    maxCallsInParallel + 2,
    ['cut-off'],
  );

/** Whether the service has interrupted the latest calls of a lead and of its contacts. */
export const isLeadInterrupted = (tx: Queries, leadId: number): Promise<boolean> =>
  haveLatestEndedSo(tx, eq(calls.leadId, leadId), maxLeadCalls, interruptions);

/** Ignores calls that no person answered: they show nothing. */
async function haveLatestEndedSo(
  tx: Queries,
  condition: SQL | undefined,
  number: number,
  reasons: readonly EndReason[],
): Promise<boolean> {
  const wasAnswered = and(inArray(calls.status, answeredCallStatuses), ne(calls.answeredBy, 'machine'));
  const latest = await tx
    .select({ endReason: calls.endReason })
    .from(calls)
    .where(and(condition, or(inArray(calls.endReason, reasons), wasAnswered)))
    .orderBy(desc(calls.endedAt), desc(calls.id))
    .limit(number);
  return (
    latest.length === number &&
    latest.every(({ endReason }) => endReason !== null && reasons.includes(endReason))
  );
}
