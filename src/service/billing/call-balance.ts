import { and, count, eq, inArray, ne } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import { assistants, users } from '../db/schema.ts';
import { callMinutePrice } from './prices.ts';
import { spentToday } from './spending-limit.ts';

/** A user's balance in USD. */
export interface CallBalance {
  balance: number;
  /** The rest of the balance and of the daily limit, minus the first minute of each uncharged open call. */
  available: number;
  /** Whether the daily limit leaves less than the balance. */
  isLimited: boolean;
}

/**
 * Reads a user's balance for further calls. Locks the user's row until the transaction ends, so that concurrent
 * requests do not use the same balance.
 */
export async function readCallBalance(tx: Queries, userId: number): Promise<CallBalance> {
  const [owner] = await tx
    .select({ balance: users.balance, limit: users.dailySpendingLimit, spent: spentToday })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  const uncharged = await tx
    .select({ mode: assistants.mode, calls: count() })
    .from(calls)
    .innerJoin(assistants, eq(assistants.id, calls.assistantId))
    // Web calls are charged as soon as they begin.
    .where(
      and(
        eq(calls.userId, userId),
        inArray(calls.status, openCallStatuses),
        eq(calls.totalCost, 0),
        ne(calls.type, 'web'),
      ),
    )
    .groupBy(assistants.mode);
  const balance = Number(owner?.balance);
  const reserved = uncharged.reduce((sum, { mode, calls }) => sum + calls * Number(callMinutePrice(mode)), 0);
  const isUnlimited = owner?.limit === undefined || owner.limit === null;
  const left = isUnlimited ? Infinity : Number(owner.limit) - Number(owner.spent);
  return { balance, available: rounded(Math.min(balance, left) - reserved), isLimited: left < balance };
}

/** Corrects rounding errors. */
const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6;

/** Returns the number of calls whose first minute the amount covers. */
export const affordableCalls = (amount: number, minutePrice: string): number =>
  Math.max(0, Math.floor(rounded(amount / Number(minutePrice))));
