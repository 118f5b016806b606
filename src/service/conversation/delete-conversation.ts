import { and, eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { conversations, messages } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { notifyProcesses } from './notify-processes.ts';
import type { Replies } from './replies.ts';
import { failAbandonedRepliesOf } from './fail-abandoned-replies.ts';

/**
 * Deletes a conversation with its messages, variables, tool results and idempotency keys. Ledger entries remain,
 * without references to it. Pending replies are aborted and stay billed; those of dead processes are refunded first.
 *
 * @throws ConversationError
 */
export async function deleteConversation(
  { database: { db }, replies }: { database: Database; replies: Replies },
  uuid: string,
): Promise<void> {
  const pendingReplies = await db.transaction(async (tx) => {
    const [conversation] = await tx
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.uuid, uuid))
      .for('update');
    if (!conversation) throw ConversationError.conversationNotFound();
    const isInConversation = eq(messages.conversationId, conversation.id);
    // Messages are locked before their other records, as in every transaction that settles a reply.
    await tx
      .select({ id: messages.id })
      .from(messages)
      .where(isInConversation)
      .orderBy(messages.id)
      .for('update');
    await failAbandonedRepliesOf(tx, [conversation.id]);
    const pending = await tx
      .select({ id: messages.id })
      .from(messages)
      .where(and(isInConversation, eq(messages.replyState, 'pending')));
    await tx.delete(conversations).where(eq(conversations.id, conversation.id));
    await notifyProcesses(tx, conversation.id);
    return pending;
  });
  for (const { id } of pendingReplies) replies.discard(id);
}
