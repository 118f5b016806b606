import { and, eq, sql } from 'drizzle-orm';
import { prepared } from '../db/prepared.ts';
import { conversations, messages } from '../db/schema.ts';
import type { StoredFunctionCall } from '../db/schema.ts';
import type { AcceptedMessage } from './accept-message.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { EndingDependencies } from './end-conversation.ts';
import { updatedUntilEnd } from './add-entry.ts';
import { notifyProcesses } from './notify-processes.ts';
import { applyBuiltInTools, readEffects } from './apply-built-in-tools.ts';
import type { BuiltInToolEffects } from './apply-built-in-tools.ts';

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
 * Stores the reply to a message and applies the built-in tools that the assistant called. May be repeated if it is not
 * known whether it was stored.
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
    const { id, conversationId } = message;
    const [conversation] = await touchConversation(tx, { conversationId });
    if (!conversation) throw ConversationError.conversationNotFound();
    const stored = await insertAnswer(tx, { id, owner, problem, ...answer });
    if (stored.length === 0) {
      // No other process answers it, so an earlier attempt has stored this answer.
      const answered = and(eq(messages.id, id), eq(messages.replyState, 'answered'));
      if ((await tx.$count(messages, answered)) === 0) return undefined;
      return { ...answer, ...(await readEffects(tx, conversation, answer.functionCalls)) };
    }
    // Polling finds no update of an ended conversation.
    if (conversation.isMarkedEnded) await notifyProcesses(tx, conversationId);
    const effects = { messageId: id, calls: answer.functionCalls };
    return { ...answer, ...(await applyBuiltInTools(tx, jobs, conversation, effects)) };
  });
}

const touchConversation = prepared<
  { conversationId: number },
  { id: number; turns: number; aiEnabled: boolean; isMarkedEnded: boolean }[]
>((queries, params) =>
  queries
    .update(conversations)
    .set({ updatedAt: updatedUntilEnd })
    .where(eq(conversations.id, params.conversationId))
    .returning({
      id: conversations.id,
      turns: conversations.turns,
      aiEnabled: conversations.aiEnabled,
      isMarkedEnded: sql<boolean>`${conversations.endedAt} IS NOT NULL`,
    }),
);

/** Marks a message as answered and inserts its answer, unless this owner has lost its lease. */
const insertAnswer = prepared<NewAnswer & { id: number; owner: string }, { id: number }[]>(
  (queries, params) => {
    const update = queries
      .update(messages)
      .set({ replyState: 'answered', problem: sql`${params.problem}`, ...settled })
      .where(
        and(
          eq(messages.id, params.id),
          eq(messages.replyState, 'pending'),
          eq(messages.replyOwner, params.owner),
        ),
      )
      .returning({ id: messages.id, conversationId: messages.conversationId, turn: messages.turn });
    const answered = queries.$with('answered').as(update);
    const { id, conversationId, turn } = answered;
    const functionCalls = sql.param(params.functionCalls, messages.functionCalls);
    const answer = queries.$with('answer', {}).as(sql`
      INSERT INTO ${messages} (conversation_id, turn, role, content, function_calls, in_reply_to)
      SELECT ${conversationId}, ${turn}, 'assistant', ${params.text}::text, ${functionCalls}::jsonb, ${id} FROM ${answered}`);
    return queries.with(answered, answer).select({ id }).from(answered);
  },
);
