import { and, eq, gte, sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { ledgerEntries, users } from '../db/schema.ts';

/** A change of a balance. Amounts are decimal strings in USD, since binary fractions cannot hold a cent. */
interface Movement {
  userId: number;
  kind: 'top_up' | 'charge' | 'refund';
  /** Positive; a charge takes it, the others give it. */
  amount: string;
  messageId?: number;
  callId?: number;
  /** The minute of the call that is paid for, from 1; 0 of a refund of all. */
  callMinute?: number;
}

/**
 * Changes a balance and writes the ledger entry. Call it in the transaction of what is paid for.
 *
 * @returns false, with nothing changed, if a charge would take the balance below zero. The check and the change are
 * one statement, so charges that run at once cannot overdraw together.
 */
export async function moveMoney(queries: Queries, movement: Movement): Promise<boolean> {
  const { userId, kind, amount, messageId = null, callId = null, callMinute = null } = movement;
  const signed = kind === 'charge' ? `-${amount}` : amount;
  const [changed] = await queries
    .update(users)
    .set({ balance: sql`${users.balance} + ${signed}::numeric`, updatedAt: sql`now()` })
    .where(and(eq(users.id, userId), kind === 'charge' ? gte(users.balance, amount) : undefined))
    .returning({ balance: users.balance });
  if (!changed) return false;
  await queries
    .insert(ledgerEntries)
    .values({ userId, kind, amount: signed, balanceAfter: changed.balance, messageId, callId, callMinute });
  return true;
}
