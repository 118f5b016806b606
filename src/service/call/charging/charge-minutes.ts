import { eq, sql } from 'drizzle-orm';
import { moveMoney } from '../../billing/ledger.ts';
import { carrierMinutePrice } from '../../billing/prices.ts';
import { calls } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import type { Jobs } from '../../jobs/jobs.ts';
import { sendUsageNotices } from '../../usage/send-usage-notices.ts';
import { spendingNotice } from '../../usage/usage-notice.ts';

/** Minutes of a call that have not been charged yet. */
interface Minutes {
  userId: number;
  assistantId: number;
  callId: number;
  /** Counted from 1. */
  minutes: readonly number[];
  /** USD a minute, with all fees. */
  amount: string;
  /** The carrier's share of `amount`, in USD. */
  carrierFee?: string | undefined;
  /** Seconds. Stored unless the record has a longer duration. */
  duration?: number;
}

/**
 * Charges for started minutes of a call, in the transaction that has locked its record, as far as the balance and the
 * daily spending limit cover them.
 *
 * The record is updated only once: a second update in the same transaction would also lock the lead or conversation that
 * the call refers to. If that is being deleted, the two transactions would deadlock.
 *
 * @returns the number of charged minutes.
 */
export async function chargeMinutes(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  given: Minutes,
): Promise<number> {
  const {
    userId,
    assistantId,
    callId,
    minutes,
    amount,
    carrierFee = carrierMinutePrice,
    duration = 0,
  } = given;
  let charged = 0;
  for (const callMinute of minutes) {
    const paid = await moveMoney(tx, { userId, kind: 'charge', amount, callId, callMinute });
    if (!paid) break;
    charged += 1;
    await sendUsageNotices({ tx, jobs }, assistantId, [spendingNotice(paid, amount)]);
  }
  await tx
    .update(calls)
    .set({
      carrierCost: sql`${calls.carrierCost} + ${charged} * ${carrierFee}::numeric`,
      totalCost: sql`${calls.totalCost} + ${charged} * ${amount}::numeric`,
      chargedMinutes: sql`${calls.chargedMinutes} + ${charged}::integer`,
      duration: sql`greatest(${calls.duration}, ${duration}::integer)`,
      updatedAt: sql`now()`,
    })
    .where(eq(calls.id, callId));
  return charged;
}
