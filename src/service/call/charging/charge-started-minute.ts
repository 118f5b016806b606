import { eq, sql } from 'drizzle-orm';
import type { EndingDependencies } from '../../conversation/end-conversation.ts';
import { calls } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import { CallLeaseLostError, isLeasedBy } from '../call-lease.ts';
import { MustEndError } from '../store/must-end-error.ts';
import { chargeMinutes } from './charge-minutes.ts';

/** A started minute of a call in progress. */
export interface StartedMinute {
  callId: number;
  assistantId: number;
  /** Owner of the call's lease. */
  owner: string;
  /** Counted from 1. */
  minute: number;
  /** USD, with all fees; undefined if the minute is free. */
  price: string | undefined;
  /** The carrier's share of `price`, in USD. */
  carrierFee?: string;
  /** Counts the minute towards limits, in the transaction that charges for it. Throws if one is used up. */
  count?: (tx: Queries, userId: number) => Promise<void>;
}

/**
 * Charges for a started minute of a call once: the call's record, which stays locked until the charge is stored, has
 * the number of charged minutes.
 *
 * @throws CallLeaseLostError; MustEndError if the balance is too low, or a limit of minutes is used up.
 */
export async function chargeStartedMinute(
  { database, jobs }: EndingDependencies,
  { callId, assistantId, owner, minute, price: amount, carrierFee, count }: StartedMinute,
): Promise<void> {
  await database.db.transaction(async (tx) => {
    const [call] = await tx
      .select({ userId: calls.userId, chargedMinutes: calls.chargedMinutes })
      .from(calls)
      .where(isLeasedBy(callId, owner))
      .for('no key update');
    if (!call) throw new CallLeaseLostError();
    // An earlier attempt succeeded, but its response was lost.
    if (call.chargedMinutes >= minute) return;
    const { userId } = call;
    await count?.(tx, userId);
    if (amount === undefined) {
      await tx
        .update(calls)
        .set({ chargedMinutes: minute, updatedAt: sql`now()` })
        .where(eq(calls.id, callId));
      return;
    }
    const charge = { userId, assistantId, callId, minutes: [minute], amount, carrierFee };
    // The error also undoes the count.
    if ((await chargeMinutes({ tx, jobs }, charge)) === 0) throw new MustEndError('balance');
  });
}
