import { and, count, eq, inArray } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import { assistants, users } from '../db/schema.ts';
import { callMinutePrice } from './prices.ts';

/** What a user has for calls, in USD. */
export interface CallMoney {
  balance: number;
  /** What of it is left for further calls: each that has not paid yet will need its first minute. */
  free: number;
}

/**
 * Reads what a user has for further calls. Their row stays locked until the transaction ends, so that two who ask at
 * once do not both count on the same money.
 */
export async function readCallMoney(tx: Queries, userId: number): Promise<CallMoney> {
  const [owner] = await tx
    .select({ balance: users.balance })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  const unpaid = await tx
    .select({ mode: assistants.mode, calls: count() })
    .from(calls)
    .innerJoin(assistants, eq(assistants.id, calls.assistantId))
    .where(and(eq(calls.userId, userId), inArray(calls.status, openCallStatuses), eq(calls.totalCost, 0)))
    .groupBy(assistants.mode);
  const balance = Number(owner?.balance);
  const reserved = unpaid.reduce((sum, { mode, calls }) => sum + calls * Number(callMinutePrice(mode)), 0);
  return { balance, free: rounded(balance - reserved) };
}

/** Differences of fractions are not exact. */
const rounded = (amount: number) => Math.round(amount * 1e6) / 1e6;

/** How many calls of that price per minute can begin with an amount. */
export const callsFor = (amount: number, minutePrice: string): number =>
  Math.max(0, Math.floor(rounded(amount / Number(minutePrice))));
