import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { conversations, messages } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { Replies } from './replies.ts';

/**
 * Asks for the end of the reply that a conversation is being given, wherever it is written. What it has said so far
 * becomes the answer. Without such a reply nothing happens.
 *
 * @throws ConversationError
 */
export async function stopReply(
  { database: { db }, replies }: { database: Database; replies: Replies },
  uuid: string,
): Promise<void> {
  const [conversation] = await db
    .select({ id: conversations.id })
    .from(conversations)
    .where(eq(conversations.uuid, uuid));
  if (!conversation) throw ConversationError.conversationNotFound();
  // The others wait for their turn.
  const first = db
    .select({ id: messages.id })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversation.id),
        eq(messages.replyState, 'pending'),
        gt(messages.replyLeaseUntil, sql`now()`),
      ),
    )
    .orderBy(messages.turn)
    .limit(1);
  const [asked] = await db
    .update(messages)
    .set({ replyStopRequested: true })
    .where(eq(messages.id, sql`(${first})`))
    .returning({ id: messages.id });
  if (asked) replies.stop(asked.id);
}
