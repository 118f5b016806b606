import { and, eq, inArray, lte, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import type { Database, Queries } from '../db/database.ts';
import { today } from '../db/database-time.ts';
import { prepared } from '../db/prepared.ts';
import { conversations, ledgerEntries, messages } from '../db/schema.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import { releaseKeys } from '../idempotency/idempotency-key.ts';
import { uncountAnswers } from '../usage/daily-usage.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { EndingDependencies } from './end-conversation.ts';
import { followCalls as applyBuiltInTools } from './apply-built-in-tools.ts';
import type { Followed as BuiltInToolEffects } from './apply-built-in-tools.ts';

/** An assistant's answer. */
export interface Answer {
  text: string;
  functionCalls: StoredFunctionCall[];
}

/** A new answer, with its problem for the assistant's owner, if there is one. */
export interface NewAnswer extends Answer {
  problem: string | null;
}

/** A stored answer, with the state of the conversation after it. */
export interface SettledAnswer extends Answer, BuiltInToolEffects {}

const settled = { replyOwner: null, replyLeaseUntil: null };

/**
 * Stores the reply to a message and applies the built-in tools that the assistant called.
 *
 * @returns undefined if the lease of this owner had expired and the message was refunded.
 * @throws ConversationError if the conversation was deleted.
 */
export async function storeAnswer(
  { database: { transaction }, jobs }: EndingDependencies,
  message: AcceptedMessage,
  owner: string,
  { problem, ...answer }: NewAnswer,
): Promise<SettledAnswer | undefined> {
  return transaction(async (tx) => {
    // Locked first, as in every transaction that locks both: a deletion locks the conversation and then its messages.
    const { id, conversationId, turn } = message;
    const [conversation] = await touchConversation(tx, { conversationId });
    if (!conversation) throw ConversationError.conversationNotFound();
    const answered = await markAnswered(tx, { id, owner, problem });
    if (answered.length === 0) return undefined;
    await insertAnswer(tx, { conversationId, turn, inReplyTo: id, ...answer });
    const effects = { messageId: id, calls: answer.functionCalls };
    return { ...answer, ...(await applyBuiltInTools(tx, jobs, conversation, effects)) };
  });
}

const touchConversation = prepared<
  { conversationId: number },
  { id: number; turns: number; aiEnabled: boolean }[]
>((queries, params) =>
  queries
    .update(conversations)
    .set({ updatedAt: sql`now()` })
    .where(eq(conversations.id, params.conversationId))
    .returning({
      id: conversations.id,
      turns: conversations.turns,
      aiEnabled: conversations.aiEnabled,
    }),
);

const markAnswered = prepared<Pick<NewAnswer, 'problem'> & { id: number; owner: string }, { id: number }[]>(
  (queries, params) =>
    queries
      .update(messages)
      .set({ replyState: 'answered', problem: sql`${params.problem}`, ...settled })
      .where(
        and(
          eq(messages.id, params.id),
          eq(messages.replyState, 'pending'),
          eq(messages.replyOwner, params.owner),
        ),
      )
      .returning({ id: messages.id }),
);

const insertAnswer = prepared<Answer & { conversationId: number; turn: number; inReplyTo: number }, unknown>(
  (queries, params) =>
    queries.insert(messages).values({
      conversationId: params.conversationId,
      turn: params.turn,
      role: 'assistant',
      content: params.text,
      functionCalls: params.functionCalls,
      inReplyTo: params.inReplyTo,
    }),
);

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

/**
 * Locks the assistants' counts before the owners' balances, as a message does.
 *
 * @returns the number of replies that were pending.
 */
async function failMessages(
  tx: Queries,
  ids: number[],
  reasons: FailureReasons,
  guard?: SQL,
): Promise<number> {
  if (ids.length === 0) return 0;
  const failed = await tx
    .update(messages)
    .set({ replyState: 'failed', ...reasons, cost: '0', ...settled })
    .where(and(inArray(messages.id, ids), eq(messages.replyState, 'pending'), guard))
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

/** A message whose reply failed does not count against its assistant's limits, as it is not paid either. */
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
