import { sql } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import type { Database, Queries } from '../db/database.ts';
import { runAll } from '../lib/run-all.ts';
import { endOfPaidMonth } from './end-of-paid-month.ts';

/** Days until an unpaid number is deleted. */
const graceDays = 7;

/** A number with an unpaid month. */
interface Due extends Record<string, unknown> {
  user_id: number;
  price: string;
}

/** The number of renewed and of unpaid subscriptions. */
export interface Renewals {
  renewed: number;
  unpaid: number;
}

/**
 * Charges every dedicated number for each month since the end of the paid month, including months in which no process
 * ran background jobs. If a month cannot be paid, the subscription becomes inactive, and the number is deleted a week
 * later unless it is paid by then. Several processes may run this concurrently.
 *
 * @throws AggregateError if some subscriptions could not be renewed, after all others.
 */
export async function renewSubscriptions({ db }: Database, signal: AbortSignal): Promise<Renewals> {
  const counts: Renewals = { renewed: 0, unpaid: 0 };
  const { rows } = await db.execute<{ id: number }>(sql`
    SELECT id FROM phone_numbers WHERE ${isDue} ORDER BY paid_until, id`);
  const renewals = rows.map(({ id }) => async () => {
    if (signal.aborted) return;
    const outcome = await db
      .transaction((tx) => renew(tx, id))
      .catch((cause: unknown) => {
        throw new Error(`The subscription of phone number ${id} was not renewed.`, { cause });
      });
    if (outcome !== undefined) counts[outcome] += 1;
  });
  await runAll(renewals);
  return counts;
}

/** Excludes numbers with a requested release, which ends with the paid month; unpaid numbers are released later. */
const isDue = sql`paid_until <= now() AND (release_at IS NULL OR (release_at > paid_until AND release_at > now()))`;

/** Returns undefined if the number is not due, or another process holds its row. */
async function renew(tx: Queries, id: number): Promise<keyof Renewals | undefined> {
  const { rows } = await tx.execute<Due>(sql`
    SELECT user_id, price FROM phone_numbers WHERE id = ${id} AND ${isDue} FOR UPDATE SKIP LOCKED`);
  const [due] = rows;
  if (!due) return undefined;
  for (let isOwed = true; isOwed;) {
    const isPaid =
      Number(due.price) === 0 ||
      (await moveMoney(tx, { userId: due.user_id, kind: 'charge', amount: due.price }));
    if (!isPaid) {
      await tx.execute(sql`
        UPDATE phone_numbers SET has_active_subscription = false,
          release_at = coalesce(release_at, now() + interval '1 day' * ${graceDays}::integer)
        WHERE id = ${id}`);
      return 'unpaid';
    }
    const paid = await tx.execute<{ isOwed: boolean }>(sql`
      UPDATE phone_numbers SET paid_until = ${endOfPaidMonth(sql`created_at`, sql`paid_until`)}
      WHERE id = ${id} RETURNING paid_until <= now() AS "isOwed"`);
    isOwed = paid.rows[0]?.isOwed ?? false;
  }
  await tx.execute(sql`
    UPDATE phone_numbers SET has_active_subscription = true, release_at = NULL WHERE id = ${id}`);
  return 'renewed';
}
