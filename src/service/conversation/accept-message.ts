import { eq, sql } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import { widgetMessagePrice } from '../billing/prices.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import { claimKey, noteOutcome } from '../idempotency/idempotency-key.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { ConversationError } from './conversation-error.ts';

/** A stored, paid user message that waits for its reply. */
export interface AcceptedMessage {
  id: number;
  conversationId: number;
  turn: number;
  text: string;
}

/** Who writes the reply, and for how long that holds unless it is renewed. */
export interface Lease {
  owner: string;
  milliseconds: number;
}

/** The moment at which a lease of that many milliseconds, taken now, runs out, by the database's clock. */
export const leaseEnd = (milliseconds: number) => sql`now() + ${milliseconds} * interval '1 millisecond'`;

/**
 * Stores a user's message and takes its price, both or neither. The conversation's row is locked first, so turns are
 * numbered in the order in which they are stored, and every transaction takes its locks in the same order:
 * conversation, key, balance.
 *
 * @returns the message to reply to, or the id of the message that an earlier request with the same key stored.
 * @throws ConversationError
 */
export async function acceptMessage(
  { db }: Database,
  message: { conversationUuid: string; text: string },
  lease: Lease,
  keyed?: KeyedRequest,
): Promise<AcceptedMessage | { repeatOf: number }> {
  return db.transaction(async (tx) => {
    const conversation = await lockConversation(tx, message.conversationUuid);
    const earlier = keyed && (await claimKey(tx, keyed));
    if (earlier) return { repeatOf: earlier.messageId ?? 0 };
    if (conversation.assistantDeleted) throw ConversationError.assistantNotFound();

    const price = conversation.type === 'widget' ? widgetMessagePrice : '0';
    const turn = conversation.turns + 1;
    const [stored] = await tx
      .insert(messages)
      .values({
        conversationId: conversation.id,
        turn,
        role: 'user',
        content: message.text,
        cost: price,
        replyState: 'pending',
        replyOwner: lease.owner,
        replyLeaseUntil: leaseEnd(lease.milliseconds),
      })
      .returning({ id: messages.id });
    if (!stored) throw new Error('The message was not stored.');
    await tx
      .update(conversations)
      .set({ turns: turn, updatedAt: sql`now()` })
      .where(eq(conversations.id, conversation.id));
    if (keyed) await noteOutcome(tx, keyed, { conversationId: conversation.id, messageId: stored.id });
    // Last, because the owner's balance is shared by all their conversations: its lock is held the shortest.
    if (conversation.type === 'widget') {
      const paid = await moveMoney(tx, {
        userId: conversation.ownerId,
        kind: 'charge',
        amount: price,
        messageId: stored.id,
      });
      if (!paid) throw ConversationError.insufficientBalance();
    }
    return { id: stored.id, conversationId: conversation.id, turn, text: message.text };
  });
}

async function lockConversation(queries: Queries, uuid: string) {
  const [conversation] = await queries
    .select({
      id: conversations.id,
      type: conversations.type,
      turns: conversations.turns,
      ownerId: assistants.userId,
      assistantDeleted: sql<boolean>`${assistants.deletedAt} IS NOT NULL`,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.uuid, uuid))
    .for('no key update', { of: conversations });
  if (!conversation) throw ConversationError.conversationNotFound();
  return conversation;
}
