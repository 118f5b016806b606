import { randomBytes } from 'node:crypto';
import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { moveMoney } from '../billing/ledger.ts';
import { asksNotToBeCalled } from '../campaign/asks-not-to-be-called.ts';
import { blockNumber } from '../campaign/blocked-number.ts';
import { notifyCampaigns } from '../campaign/send-tick.ts';
import { calls } from '../db/calls-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { ledgerEntries } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { CallEnd } from './call-parts.ts';

/** What ending a call takes. */
export interface Ending {
  database: Database;
  jobs: Jobs;
}

/** How a call's record is closed; who answered and what was said has been written already. */
export type Closing = Pick<CallEnd, 'status' | 'reason'> & {
  duration?: number;
  /** Whether there is a recording of it. */
  isRecorded?: boolean;
};

const isOpen = inArray(calls.status, openCallStatuses);

/**
 * Ends a call, once: its record is closed, a call that the service spoiled is refunded, the number of whoever asked
 * not to be called again is blocked, and the jobs that follow are sent, all or nothing.
 *
 * @param which guards it; a call that it does not hold for is left alone.
 * @returns whether it was open until now.
 */
export async function endCall(
  { database, jobs }: Ending,
  which: SQL | undefined,
  { status, reason, duration, isRecorded = false }: Closing,
): Promise<boolean> {
  return database.db.transaction(async (tx) => {
    const [ended] = await tx
      .update(calls)
      .set({
        status,
        endReason: reason,
        endedAt: sql`now()`,
        updatedAt: sql`now()`,
        leaseOwner: null,
        leaseUntil: null,
        ...(duration !== undefined && { duration }),
        ...(isRecorded && { recordingToken: randomBytes(32).toString('base64url') }),
      })
      .where(and(which, isOpen))
      .returning();
    if (!ended) return false;
    if (status === 'failed') await refund(tx, ended);
    if (asksNotToBeCalled(ended.lines)) {
      await blockNumber(tx, ended.userId, ended.clientPhoneNumber);
    }
    await notifyCampaigns({ tx, jobs }, ended);
    await jobs.send('call-ended', { callId: ended.id }, { tx });
    return true;
  });
}

/** Gives back what the minutes of a call have cost. */
async function refund(tx: Queries, { id, userId }: { id: number; userId: number }): Promise<void> {
  const [paid] = await tx
    .select({ amount: sql<string | null>`-sum(${ledgerEntries.amount})` })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.callId, id), eq(ledgerEntries.kind, 'charge')));
  const amount = paid?.amount ?? '0';
  if (Number(amount) === 0) return;
  await moveMoney(tx, { userId, kind: 'refund', amount, callId: id, callMinute: 0 });
  await tx.update(calls).set({ carrierCost: 0, totalCost: 0 }).where(eq(calls.id, id));
}

/** Calls ended in one sweep; the next sweep takes the rest. */
const sweepLimit = 100;

/**
 * Ends the calls of processes that died before their lease expired: as failed, and as not begun if the phone had not
 * rung. Calls that no process has claimed stay: their jobs will find one.
 *
 * @param everyone includes leases that have not expired: right if no other process can be alive.
 * @returns how many calls were ended.
 */
export async function failAbandonedCalls(parts: Ending, everyone = false): Promise<number> {
  const isAbandoned = and(
    isOpen,
    everyone ? sql`${calls.leaseOwner} IS NOT NULL` : lte(calls.leaseUntil, sql`now()`),
  );
  const abandoned = await parts.database.db
    .select({ id: calls.id, status: calls.status })
    .from(calls)
    .where(isAbandoned)
    .orderBy(calls.id)
    .limit(sweepLimit);
  let ended = 0;
  for (const { id, status } of abandoned) {
    const reason = status === 'initiated' ? 'not-begun' : 'service-stopped';
    const which = and(eq(calls.id, id), eq(calls.status, status), isAbandoned);
    if (await endCall(parts, which, { status: 'failed', reason })) ended += 1;
  }
  return ended;
}
