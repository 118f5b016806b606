import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { messages } from '../db/schema.ts';
import { failMessages } from './fail-reply.ts';
import type { FailureReasons } from './fail-reply.ts';

/** Maximum number of replies per sweep; the next sweep takes the rest. */
const sweepLimit = 100;

/**
 * Fails the replies whose process died before their lease expired. Each has a transaction of its own: it locks the
 * owner's balance, and two sweeps must not wait for each other.
 *
 * @param before the time by which their leases have expired; `any` also fails those with time left: only if no other
 *   process can be running.
 * @returns the number of failed replies.
 */
export async function failAbandonedReplies(
  { db }: Database,
  before: SQL | 'any' = sql`now()`,
): Promise<number> {
  const isAbandoned = before === 'any' ? undefined : lte(messages.replyLeaseUntil, before);
  let failed = 0;
  for (const { id } of await findAbandoned(db, isAbandoned)) {
    failed += await db.transaction((tx) => failMessages(tx, [id], interrupted, isAbandoned));
  }
  return failed;
}

const interrupted: FailureReasons = {
  failure: 'the service stopped while it was answering; please send the message again',
  problem: 'the service stopped while it was answering',
};

/** Like {@link failAbandonedReplies}, for conversations whose messages this transaction has locked. */
export async function failAbandonedRepliesOf(tx: Queries, conversationIds: number[]): Promise<void> {
  const isAbandoned = and(
    inArray(messages.conversationId, conversationIds),
    lte(messages.replyLeaseUntil, sql`now()`),
  );
  for (let failed = sweepLimit; failed === sweepLimit;) {
    const abandoned = await findAbandoned(tx, isAbandoned);
    failed = await failMessages(
      tx,
      abandoned.map(({ id }) => id),
      interrupted,
    );
  }
}

const findAbandoned = (queries: Queries, condition: SQL | undefined) =>
  queries
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.replyState, 'pending'), condition))
    .orderBy(messages.id)
    .limit(sweepLimit);
