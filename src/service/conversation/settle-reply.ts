import { and, eq, lte, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import type { Database, Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { conversations, ledgerEntries, messages } from '../db/schema.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import { freeKey } from '../idempotency/idempotency-key.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { Ending } from './end-conversation.ts';
import { followCalls } from './follow-calls.ts';
import type { Followed } from './follow-calls.ts';

/** What an assistant answered. */
export interface Answer {
  text: string;
  functionCalls: StoredFunctionCall[];
}

/** An answer as it is told, with what has become of the conversation by then. */
export interface SettledAnswer extends Answer, Followed {}

const settled = { replyOwner: null, replyLeaseUntil: null };

/**
 * Stores the reply to a message, and does what the assistant has asked for by its built-in tools.
 *
 * @returns undefined if the message is no longer this owner's to answer: its lease had run out, and it was refunded.
 * @throws ConversationError if the conversation was deleted.
 */
export async function storeAnswer(
  { database: { transaction }, jobs }: Ending,
  message: AcceptedMessage,
  owner: string,
  answer: Answer,
): Promise<SettledAnswer | undefined> {
  return transaction(async (tx) => {
    // First, as in every transaction that touches both: a deletion locks the conversation and then its messages.
    const { id, conversationId, turn } = message;
    const [conversation] = await touchConversation(tx, { conversationId });
    if (!conversation) throw ConversationError.conversationNotFound();
    const answered = await markAnswered(tx, { id, owner });
    if (answered.length === 0) return undefined;
    await insertAnswer(tx, { conversationId, turn, inReplyTo: id, ...answer });
    return { ...answer, ...(await followCalls(tx, jobs, conversation, answer.functionCalls)) };
  });
}

const touchConversation = prepared<
  { conversationId: number },
  { id: number; turns: number; aiEnabled: boolean }[]
>((queries, place) =>
  queries
    .update(conversations)
    .set({ updatedAt: sql`now()` })
    .where(eq(conversations.id, place.conversationId))
    .returning({
      id: conversations.id,
      turns: conversations.turns,
      aiEnabled: conversations.aiEnabled,
    }),
);

const markAnswered = prepared<{ id: number; owner: string }, { id: number }[]>((queries, place) =>
  queries
    .update(messages)
    .set({ replyState: 'answered', ...settled })
    .where(
      and(
        eq(messages.id, place.id),
        eq(messages.replyState, 'pending'),
        eq(messages.replyOwner, place.owner),
      ),
    )
    .returning({ id: messages.id }),
);

const insertAnswer = prepared<Answer & { conversationId: number; turn: number; inReplyTo: number }, unknown>(
  (queries, place) =>
    queries.insert(messages).values({
      conversationId: place.conversationId,
      turn: place.turn,
      role: 'assistant',
      content: place.text,
      functionCalls: place.functionCalls,
      inReplyTo: place.inReplyTo,
    }),
);

/** Gives up the reply to a message of this owner: marks it, refunds it and frees its idempotency key. */
export async function failReply(
  { db }: Database,
  messageId: number,
  owner: string,
  failure: string,
): Promise<void> {
  await db.transaction((tx) => giveUp(tx, messageId, failure, eq(messages.replyOwner, owner)));
}

/** Replies given up in one sweep; the next sweep takes the rest. */
const sweepLimit = 100;

/**
 * Gives up the replies that nobody writes any more, because their process died before their lease ran out. Each in a
 * transaction of its own: their owners' balances are locked, and two sweeps must not wait for each other's.
 *
 * @param everyone also those with time left: right when no other process can be alive.
 * @returns how many there were.
 */
export async function failAbandonedReplies({ db }: Database, everyone = false): Promise<number> {
  const isOver = everyone ? undefined : leaseIsOver;
  let failed = 0;
  for (const { id } of await findAbandoned(db, isOver)) {
    if (await db.transaction((tx) => giveUp(tx, id, serviceStopped, isOver))) failed += 1;
  }
  return failed;
}

const leaseIsOver = lte(messages.replyLeaseUntil, sql`now()`);
const serviceStopped = 'the service stopped while it was answering; please send the message again';

/** The same for one conversation, whose messages this transaction has locked. */
export async function failAbandonedOf(tx: Queries, conversationId: number): Promise<void> {
  const abandoned = await findAbandoned(tx, and(eq(messages.conversationId, conversationId), leaseIsOver));
  for (const { id } of abandoned) await giveUp(tx, id, serviceStopped);
}

const findAbandoned = (queries: Queries, which: SQL | undefined) =>
  queries
    .select({ id: messages.id })
    .from(messages)
    .where(and(eq(messages.replyState, 'pending'), which))
    .orderBy(messages.id)
    .limit(sweepLimit);

/** @returns whether it was pending until now. */
async function giveUp(tx: Queries, messageId: number, failure: string, guard?: SQL): Promise<boolean> {
  const failed = await tx
    .update(messages)
    .set({ replyState: 'failed', failure, cost: '0', ...settled })
    .where(and(eq(messages.id, messageId), eq(messages.replyState, 'pending'), guard))
    .returning({ id: messages.id });
  if (failed.length === 0) return false;
  await freeKey(tx, messageId);
  const [charge] = await tx
    .select({ userId: ledgerEntries.userId, price: sql<string>`-${ledgerEntries.amount}` })
    .from(ledgerEntries)
    .where(and(eq(ledgerEntries.messageId, messageId), eq(ledgerEntries.kind, 'charge')));
  if (charge) await moveMoney(tx, { userId: charge.userId, kind: 'refund', amount: charge.price, messageId });
  return true;
}
