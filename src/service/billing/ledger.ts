import { and, eq, sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { ledgerEntries, users } from '../db/schema.ts';
import { countMoney } from '../telemetry/instruments.ts';
import { today } from '../db/database-time.ts';
import { spentToday } from './spending-limit.ts';

/** A change of a balance. Amounts are decimal strings in USD, since floating-point numbers are not exact. */
interface Movement {
  userId: number;
  kind: 'top_up' | 'charge' | 'refund';
  /** A charge subtracts it, the others add it. Positive, except for a top-up that takes back an earlier one. */
  amount: string;
  messageId?: number;
  callId?: number;
  /** The charged minute of the call, from 1; 0 for a full refund. */
  callMinute?: number;
}

/** USD that the user's messages and calls have cost today, and may cost; null is no limit. */
export interface Spent {
  spent: number;
  limit: number | null;
}

/**
 * Changes a balance and adds a ledger entry, in one statement. Call it in the transaction that stores the charged or
 * refunded record.
 *
 * @returns false, without a change, if the balance would become negative, or if a charge is for a message or a call
 *   and would exceed the user's daily spending limit. Checks and change are one statement, so concurrent charges cannot
 *   overdraw.
 */
export async function moveMoney(queries: Queries, movement: Movement): Promise<Spent | false> {
  const { userId, kind, amount, messageId = null, callId = null, callMinute = null } = movement;
  const signed = kind === 'charge' ? `-${amount}` : amount;
  const [changed] = await changeBalance(queries, {
    userId,
    kind,
    messageId,
    callId,
    callMinute,
    signed,
    needed: signed.startsWith('-') ? signed.slice(1) : null,
    spent: await spendingOf(queries, movement),
  });
  if (!changed) return false;
  if (kind !== 'top_up') countMoney(kind, amount);
  return { spent: Number(changed.spent), limit: changed.limit === null ? null : Number(changed.limit) };
}

/**
 * Returns how a movement changes today's spending on messages and calls. A refund takes back only what was charged today:
 * an earlier charge counted on its own day.
 */
async function spendingOf(queries: Queries, { kind, amount, messageId, callId }: Movement): Promise<string> {
  if (kind === 'top_up' || (messageId === undefined && callId === undefined)) return '0';
  if (kind === 'charge') return amount;
  const { rows } = await queries.execute<{ spent: string }>(sql`
    SELECT coalesce(sum(amount), 0)::text AS spent FROM ledger_entries
    WHERE (message_id = ${messageId ?? null}::bigint OR call_id = ${callId ?? null}::integer) AND kind = 'charge'
      AND (created_at AT TIME ZONE 'UTC')::date = ${today}`);
  return rows[0]?.spent ?? '0';
}

/** A change of a balance and its ledger entry. */
interface Change extends Pick<Movement, 'userId' | 'kind'> {
  signed: string;
  /** The required minimum balance, if any. */
  needed: string | null;
  /** Counts towards the daily spending limit. */
  spent: string;
  messageId: number | null;
  callId: number | null;
  callMinute: number | null;
}

const changeBalance = prepared<Change, { spent: string; limit: string | null }[]>((queries, place) => {
  const update = queries
    .update(users)
    .set({
      balance: sql`${users.balance} + ${place.signed}::numeric`,
      // Charges of a transaction that began before midnight may have ended today's count.
      spentToday: sql`greatest(0, ${spentToday} + ${place.spent}::numeric)`,
      spentOn: today,
      updatedAt: sql`now()`,
    })
    .where(
      and(
        eq(users.id, place.userId),
        sql`(${place.needed}::numeric IS NULL OR ${users.balance} >= ${place.needed}::numeric)`,
        sql`(${place.spent}::numeric <= 0 OR ${users.dailySpendingLimit} IS NULL
          OR ${spentToday} + ${place.spent}::numeric <= ${users.dailySpendingLimit})`,
      ),
    )
    .returning({
      userId: users.id,
      balance: users.balance,
      spent: users.spentToday,
      limit: users.dailySpendingLimit,
    });
  const changed = queries.$with('changed').as(update);
  const { userId, balance, spent, limit } = changed;
  const entry = queries.$with('entry', {}).as(sql`
    INSERT INTO ${ledgerEntries} (user_id, kind, amount, balance_after, message_id, call_id, call_minute)
    SELECT ${userId}, ${place.kind}::text, ${place.signed}::numeric, ${balance},
      ${place.messageId}::bigint, ${place.callId}::integer, ${place.callMinute}::integer FROM ${changed}`);
  return queries.with(changed, entry).select({ spent, limit }).from(changed);
});
