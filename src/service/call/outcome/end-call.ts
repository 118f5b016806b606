import { and, eq, inArray, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { uncountCall } from '../../billing/call-limits.ts';
import { moveMoney } from '../../billing/ledger.ts';
import { requestsOptOut } from '../../campaign/opt-out.ts';
import { blockNumber } from '../../campaign/blocked-number.ts';
import { notifyCampaigns } from '../../campaign/send-tick.ts';
import { addEntry } from '../../conversation/add-entry.ts';
import { callEndedEntry } from '../../conversation/event-entry.ts';
import { calls, recordingChunks } from '../../db/calls-table.ts';
import type { Database, Queries } from '../../db/database.ts';
import { assistants, conversations, ledgerEntries } from '../../db/schema.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { newSecret } from '../../lib/new-secret.ts';
import type { CallResult } from '../store/call-store.ts';
import { isOpen } from '../is-open.ts';

/** Dependencies of {@link endCall}. */
export interface EndCallDependencies {
  database: Database;
  jobs: Jobs;
}

/** The part of a call's result that is stored at its end; the rest was stored during the call. */
export type EndedCall = Pick<CallResult, 'status' | 'reason'> & {
  /** Undefined if its process does not know it, or has died. */
  duration?: number | undefined;
};

/**
 * Seconds until now of a call whose process has not stored its duration, but at most until the end of its lease: the
 * process may have died long ago. Null for a call that no process owns.
 */
const ownedSeconds = sql`CASE WHEN ${calls.leaseOwner} IS NOT NULL
  THEN ceil(extract(epoch FROM least(now(), ${calls.leaseUntil}) - ${calls.answeredAt})) END`;

/**
 * The service records web calls. The carrier records phone calls: if one has failed, there may be no recording, so its
 * URL waits for the carrier's report.
 */
const isRecorded = (status: EndedCall['status']) => sql`(
  EXISTS (SELECT FROM ${recordingChunks} WHERE ${recordingChunks.callId} = ${calls.id})
  OR ${status !== 'failed'} AND ${calls.type} <> 'web' AND ${calls.answeredAt} IS NOT NULL
    AND EXISTS (SELECT FROM ${assistants} WHERE ${assistants.id} = ${calls.assistantId} AND ${assistants.record}))`;

/**
 * Ends a call in one transaction: stores its result, adds its end to its conversation, refunds a failed call, removes one
 * that was never dialed from the daily count, blocks the number if the customer asked not to be called again, and sends
 * the follow-up jobs.
 *
 * @param condition identifies the call; nothing happens if it does not match an open call.
 * @returns whether the call was open.
 */
export async function endCall(
  { database, jobs }: EndCallDependencies,
  condition: SQL | undefined,
  { status, reason, duration }: EndedCall,
): Promise<boolean> {
  return database.db.transaction(async (tx) => {
    const isEnding = and(condition, isOpen);
    // Before the call, as when a conversation is deleted.
    const [conversation] = await tx
      .select({ id: conversations.id, turns: conversations.turns })
      .from(conversations)
      .where(inArray(conversations.id, tx.select({ id: calls.conversationId }).from(calls).where(isEnding)))
      .for('no key update');
    const [ended] = await tx
      .update(calls)
      .set({
        status,
        endReason: reason,
        endedAt: sql`now()`,
        updatedAt: sql`now()`,
        leaseOwner: null,
        leaseUntil: null,
        // In this update, since a second one could deadlock with the deletion of the lead or conversation.
        ...(status === 'failed' && { carrierCost: 0, totalCost: 0 }),
        // An earlier line may have stored a longer duration.
        duration: sql`greatest(${calls.duration}, (${duration ?? ownedSeconds})::integer)`,
        recordingToken: sql`coalesce(${calls.recordingToken}, CASE WHEN ${isRecorded(status)} THEN ${newSecret()} END)`,
      })
      .where(isEnding)
      .returning();
    if (!ended) return false;
    if (conversation && ended.answeredAt) await addEntry(tx, conversation, callEndedEntry(ended.duration));
    // Before the user's row is locked, as in a campaign's step.
    if (ended.clientPhoneNumber !== '' && requestsOptOut(ended.messages)) {
      await blockNumber(tx, ended.userId, ended.clientPhoneNumber);
    }
    if (status === 'failed') await refund(tx, ended);
    if (ended.type === 'outbound' && ended.dialedAt === null) await uncountCall(tx, ended);
    await notifyCampaigns({ tx, jobs }, ended);
    await jobs.send('call-ended', { callId: ended.id }, { tx });
    return true;
  });
}

/** Refunds all charged minutes of a call. */
async function refund(tx: Queries, { id, userId }: { id: number; userId: number }): Promise<void> {
  const [paid] = await tx
    .select({ amount: sql<string | null>`-sum(${ledgerEntries.amount})` })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.callId, id), eq(ledgerEntries.kind, 'charge')));
  const amount = paid?.amount ?? '0';
  if (Number(amount) === 0) return;
  await moveMoney(tx, { userId, kind: 'refund', amount, callId: id, callMinute: 0 });
}

/** The visitor of a web call did not reconnect. */
export const lostCall: EndedCall = { status: 'ended_by_customer', reason: 'connection-lost' };
