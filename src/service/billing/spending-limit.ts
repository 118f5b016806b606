import { eq, sql } from 'drizzle-orm';
import { today } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import { users } from '../db/schema.ts';

/** USD that a user's messages and calls have cost today. */
export const spentToday = sql<string>`(CASE WHEN ${users.spentOn} = ${today} THEN ${users.spentToday} ELSE 0 END)`;

/** A user's spending in USD. */
export interface Spending {
  /** Null is no limit. */
  daily_limit: number | null;
  spent_today: number;
}

export async function readSpending(queries: Queries, userId: number): Promise<Spending> {
  const [user] = await queries
    .select({ limit: users.dailySpendingLimit, spent: spentToday })
    .from(users)
    .where(eq(users.id, userId));
  if (!user) throw new Error(`There is no user ${userId}.`);
  return { daily_limit: user.limit === null ? null : Number(user.limit), spent_today: Number(user.spent) };
}

/** @param limit USD; null for no limit */
export async function setSpendingLimit(
  queries: Queries,
  userId: number,
  limit: number | null,
): Promise<Spending> {
  await queries
    .update(users)
    .set({ dailySpendingLimit: limit === null ? null : String(limit), updatedAt: sql`now()` })
    .where(eq(users.id, userId));
  return readSpending(queries, userId);
}

/** Whether a charge would exceed the limit: the reason why it was refused, if it was not the balance. */
export async function exceedsLimit(queries: Queries, userId: number, amount: string): Promise<boolean> {
  const { daily_limit: limit, spent_today: spent } = await readSpending(queries, userId);
  return limit !== null && spent + Number(amount) > limit;
}
