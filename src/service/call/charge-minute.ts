import { eq, sql } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import { carrierMinutePrice } from '../billing/prices.ts';
import { calls } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { spendingNotice } from '../usage/usage-notice.ts';

interface Minute {
  userId: number;
  assistantId: number;
  callId: number;
  /** Counted from 1. */
  minute: number;
  /** USD, with all fees. */
  amount: string;
  /** The carrier's share of `amount`, in USD. */
  carrierFee?: string;
}

/**
 * Charges for a started minute of a call, in the transaction that has locked its record.
 *
 * @returns false if the balance or the daily spending limit does not cover it.
 */
export async function chargeMinute(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  { userId, assistantId, callId, minute, amount, carrierFee = carrierMinutePrice }: Minute,
): Promise<boolean> {
  const paid = await moveMoney(tx, { userId, kind: 'charge', amount, callId, callMinute: minute });
  if (!paid) return false;
  await tx
    .update(calls)
    .set({
      carrierCost: sql`${calls.carrierCost} + ${carrierFee}::numeric`,
      totalCost: sql`${calls.totalCost} + ${amount}::numeric`,
      updatedAt: sql`now()`,
    })
    .where(eq(calls.id, callId));
  const notice = spendingNotice(paid, amount);
  if (notice) await jobs.send('usage-notice', { assistantId, ...notice }, { tx });
  return true;
}
