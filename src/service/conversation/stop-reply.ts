import { and, eq, gt, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { conversations, messages } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import type { Replies } from './replies.ts';

/**
 * Requests a stop of the conversation's current reply, in any process. The text so far becomes the answer. Has no
 * effect if no reply is in progress.
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
  // Later replies wait for their turn.
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
  const [stopping] = await db
    .update(messages)
    .set({ replyStopRequested: true })
    .where(eq(messages.id, sql`(${first})`))
    .returning({ id: messages.id });
  if (stopping) replies.stop(stopping.id);
}
