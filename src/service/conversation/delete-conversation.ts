import { and, eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { conversations, messages } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { notifyOfChange } from './conversation-events.ts';
import type { Replies } from './replies.ts';
import { failAbandonedOf } from './settle-reply.ts';

/**
 * Forgets a conversation: its messages, variables, results of tools and idempotency keys. Entries of the ledger stay
 * without them. A reply under way ends unheard and stays billed; one whose process died is refunded first.
 *
 * @throws ConversationError
 */
export async function deleteConversation(
  { database: { db }, replies }: { database: Database; replies: Replies },
  uuid: string,
): Promise<void> {
  const underWay = await db.transaction(async (tx) => {
    const [conversation] = await tx
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.uuid, uuid))
      .for('update');
    if (!conversation) throw ConversationError.conversationNotFound();
    const ofConversation = eq(messages.conversationId, conversation.id);
    // Before anything else of theirs is touched: whoever settles a reply locks its message first, too.
    await tx
      .select({ id: messages.id })
      .from(messages)
      .where(ofConversation)
      .orderBy(messages.id)
      .for('update');
    await failAbandonedOf(tx, conversation.id);
    const pending = await tx
      .select({ id: messages.id })
      .from(messages)
      .where(and(ofConversation, eq(messages.replyState, 'pending')));
    await tx.delete(conversations).where(eq(conversations.id, conversation.id));
    await notifyOfChange(tx, conversation.id);
    return pending;
  });
  for (const { id } of underWay) replies.discard(id);
}
