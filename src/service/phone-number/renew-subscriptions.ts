import { sql } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import type { Database, Queries } from '../db/database.ts';
import { endOfPaidMonth } from './end-of-paid-month.ts';

/** How long a number stays that its owner cannot pay for, and is tried to be charged for again. */
const graceDays = 7;

/** A number whose month is over. */
interface Due extends Record<string, unknown> {
  id: number;
  user_id: number;
  price: string;
}

/** What came of the numbers whose month was over. */
export interface Renewals {
  renewed: number;
  unpaid: number;
}

/**
 * Charges the next month of every dedicated number whose month is over. One that its owner cannot pay for loses its
 * subscription and goes in a week, unless there is enough money before. Months in which nobody charged are not made up
 * for. Any number of processes may do it at once.
 */
export async function renewSubscriptions({ db }: Database, signal: AbortSignal): Promise<Renewals> {
  const found: Renewals = { renewed: 0, unpaid: 0 };
  const { rows } = await db.execute<{ id: number }>(sql`
    SELECT id FROM phone_numbers WHERE ${isDue} ORDER BY paid_until, id`);
  for (const { id } of rows) {
    if (signal.aborted) break;
    const outcome = await db.transaction((tx) => renew(tx, id));
    if (outcome !== undefined) found[outcome] += 1;
  }
  return found;
}

/** One whose release was asked for goes when its month is over; one that was not paid for goes later. */
const isDue = sql`paid_until <= now() AND (release_at IS NULL OR (release_at > paid_until AND release_at > now()))`;

async function renew(tx: Queries, id: number): Promise<keyof Renewals | undefined> {
  // Whoever holds the row is about to settle it.
  const { rows } = await tx.execute<Due>(sql`
    SELECT id, user_id, price FROM phone_numbers WHERE id = ${id} AND ${isDue} FOR UPDATE SKIP LOCKED`);
  const [due] = rows;
  if (!due) return undefined;
  const paid =
    Number(due.price) === 0 ||
    (await moveMoney(tx, { userId: due.user_id, kind: 'charge', amount: due.price }));
  if (paid) {
    await tx.execute(sql`
      UPDATE phone_numbers SET has_active_subscription = true, release_at = NULL,
        paid_until = ${endOfPaidMonth(sql`created_at`, sql`now()`)}
      WHERE id = ${id}`);
    return 'renewed';
  }
  await tx.execute(sql`
    UPDATE phone_numbers SET has_active_subscription = false,
      release_at = coalesce(release_at, now() + interval '1 day' * ${graceDays}::integer)
    WHERE id = ${id}`);
  return 'unpaid';
}
