import { and, count, eq, inArray, ne, sql } from 'drizzle-orm';
import { openCallStatuses } from '../../contract/call.ts';
import { calls } from '../db/calls-table.ts';
import { today } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import { users } from '../db/schema.ts';
import type { AllowedCountries } from '../lib/callable-number.ts';

/** The operator's limits for the phone calls of one account, in both directions. `Infinity` is no limit. */
export interface CallLimits {
  inParallel: number;
  /** Days are in UTC. */
  perDay: number;
}

/** The operator's limits of the calls of every account. */
export interface CallRules extends CallLimits {
  countries: AllowedCountries;
}

/** The number of calls that an account may still start, and the limit that applies first. */
export interface FreeCalls {
  free: number;
  limit: keyof CallLimits;
}

/** A stored count, since an account can delete the records of its calls. */
const callsToday = sql<number>`(CASE WHEN ${users.callsOn} = ${today} THEN ${users.callsToday} ELSE 0 END)`;

/**
 * Reads how many calls an account may still start. Locks the account's row until the transaction ends, so that
 * concurrent calls in any process do not exceed the limits. The transaction must count the calls that it starts.
 */
export async function readFreeCalls(
  tx: Queries,
  userId: number,
  { inParallel, perDay }: CallLimits,
): Promise<FreeCalls> {
  const [owner] = await tx
    .select({ today: callsToday })
    .from(users)
    .where(eq(users.id, userId))
    .for('no key update');
  const [open] = await tx
    .select({ calls: count() })
    .from(calls)
    .where(and(eq(calls.userId, userId), ne(calls.type, 'web'), inArray(calls.status, openCallStatuses)));
  const atOnce = inParallel - (open?.calls ?? 0);
  const onThisDay = perDay - (owner?.today ?? 0);
  return {
    free: Math.max(0, Math.min(atOnce, onThisDay)),
    limit: atOnce < onThisDay ? 'inParallel' : 'perDay',
  };
}

/** Counts started calls for the daily limit. */
export async function countStartedCalls(tx: Queries, userId: number, started: number): Promise<void> {
  await tx
    .update(users)
    .set({ callsToday: sql`${callsToday} + ${started}::integer`, callsOn: today })
    .where(eq(users.id, userId));
}

/** Removes a call that was never dialed from the count of its day. */
export async function uncountCall(
  tx: Queries,
  { userId, createdAt }: { userId: number; createdAt: string },
): Promise<void> {
  await tx
    .update(users)
    .set({ callsToday: sql`greatest(${users.callsToday} - 1, 0)` })
    .where(
      and(eq(users.id, userId), sql`${users.callsOn} = (${createdAt}::timestamptz AT TIME ZONE 'UTC')::date`),
    );
}

/** Explains a reached limit to the owner. */
export function describeLimit(limit: keyof CallLimits, limits: CallLimits): string {
  const most = limits[limit].toLocaleString('en');
  return limit === 'perDay'
    ? `This account may make and receive ${most} calls a day. The next day begins at midnight (UTC).`
    : `This account may have ${most} calls at the same time. Try again when one of them has ended.`;
}
