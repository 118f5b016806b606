import { and, eq, inArray, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import type { Database, Queries } from '../db/database.ts';
import { today } from '../db/database-time.ts';
import { conversations, ledgerEntries, messages } from '../db/schema.ts';
import { releaseKeys } from '../idempotency/idempotency-key.ts';
import { uncountAnswers } from '../usage/daily-usage.ts';
import { updatedUntilEnd } from './add-entry.ts';

/** Why a reply failed: for the visitor, and for the assistant's owner. */
export interface FailureReasons {
  failure: string;
  problem: string;
}

/** Fails the reply to a message of this owner: marks it, refunds it and releases its idempotency key. */
export async function failReply(
  { db }: Database,
  messageId: number,
  owner: string,
  reasons: FailureReasons,
): Promise<void> {
  await db.transaction((tx) => failMessages(tx, [messageId], reasons, eq(messages.replyOwner, owner)));
}

/**
 * Fails the replies to messages, as {@link failReply}. Locks the assistants' counts before the owners' balances, as a message does.
 *
 * @returns the number of replies that were pending.
 */
export async function failMessages(
  tx: Queries,
  ids: number[],
  reasons: FailureReasons,
  guard?: SQL,
): Promise<number> {
  if (ids.length === 0) return 0;
  const isPending = and(inArray(messages.id, ids), eq(messages.replyState, 'pending'), guard);
  const conversationIds = tx.select({ id: messages.conversationId }).from(messages).where(isPending);
  // The inactivity timeout starts again, since the visitor has waited, and may send the message again. Locked before the
  // messages, as in every transaction that locks both.
  await tx
    .update(conversations)
    .set({ updatedAt: updatedUntilEnd })
    .where(inArray(conversations.id, conversationIds));
  const failed = await tx
    .update(messages)
    .set({ replyState: 'failed', ...reasons, cost: '0', replyOwner: null, replyLeaseUntil: null })
    .where(isPending)
    .returning({ id: messages.id });
  const failedIds = failed.map(({ id }) => id);
  if (failedIds.length === 0) return 0;
  await releaseKeys(tx, failedIds);
  await uncount(tx, failedIds);
  const charges = await tx
    .select({
      messageId: ledgerEntries.messageId,
      userId: ledgerEntries.userId,
      price: sql<string>`-${ledgerEntries.amount}`,
    })
    .from(ledgerEntries)
    .where(and(inArray(ledgerEntries.messageId, failedIds), eq(ledgerEntries.kind, 'charge')))
    .orderBy(ledgerEntries.userId, ledgerEntries.id);
  for (const { messageId, userId, price } of charges)
    await moveMoney(tx, { userId, kind: 'refund', amount: price, messageId: messageId ?? 0 });
  return failedIds.length;
}

/** A message whose reply failed is refunded, so it does not count towards its assistant's limits. */
async function uncount(tx: Queries, messageIds: number[]): Promise<void> {
  const counts = await tx
    .select({
      assistantId: conversations.assistantId,
      type: conversations.type,
      answered: sql<number>`count(*)::integer`,
    })
    .from(messages)
    .innerJoin(conversations, eq(conversations.id, messages.conversationId))
    .where(
      and(
        inArray(messages.id, messageIds),
        eq(conversations.isPreview, false),
        sql`(${messages.createdAt} AT TIME ZONE 'UTC')::date = ${today}`,
      ),
    )
    .groupBy(conversations.assistantId, conversations.type)
    .orderBy(conversations.assistantId, conversations.type);
  for (const { answered, ...source } of counts) await uncountAnswers(tx, source, answered);
}
