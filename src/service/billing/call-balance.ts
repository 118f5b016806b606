import { and, count, eq, inArray } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import { assistants, users } from '../db/schema.ts';
import { callMinutePrice } from './prices.ts';

/** A user's balance in USD. */
export interface CallBalance {
  balance: number;
  /** The balance minus the first minute of each open call that has not been charged yet. */
  available: number;
}

/**
 * Reads a user's balance for further calls. Locks the user's row until the transaction ends, so that concurrent
 * requests do not use the same balance.
 */
export async function readCallBalance(tx: Queries, userId: number): Promise<CallBalance> {
  const [owner] = await tx
    .select({ balance: users.balance })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  const uncharged = await tx
    .select({ mode: assistants.mode, calls: count() })
    .from(calls)
    .innerJoin(assistants, eq(assistants.id, calls.assistantId))
    .where(and(eq(calls.userId, userId), inArray(calls.status, openCallStatuses), eq(calls.totalCost, 0)))
    .groupBy(assistants.mode);
  const balance = Number(owner?.balance);
  const reserved = uncharged.reduce((sum, { mode, calls }) => sum + calls * Number(callMinutePrice(mode)), 0);
  return { balance, available: rounded(balance - reserved) };
}

/** Corrects rounding errors. */
const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6;

/** Returns the number of calls whose first minute the amount covers. */
export const affordableCalls = (amount: number, minutePrice: string): number =>
  Math.max(0, Math.floor(rounded(amount / Number(minutePrice))));
