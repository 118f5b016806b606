import { and, desc, eq, lt, ne, sql } from 'drizzle-orm';
import type { CallMessage } from '../../db/calls-table.ts';
import type { Queries } from '../../db/database.ts';
import { messages } from '../../db/schema.ts';

/** A message of the conversation in the assistant's context of a call. */
export type WrittenMessage = Pick<CallMessage, 'role' | 'content' | 'functionCalls'>;

/** Maximum number of messages in the assistant's context of a call. */
export const contextMessages = 40;

/**
 * Reads the latest messages of a conversation, oldest first. They include those of calls.
 *
 * @param beforeCall the id of a call; later messages are not read.
 */
export async function readWrittenHistory(
  queries: Queries,
  conversationId: number,
  beforeCall?: number,
): Promise<WrittenMessage[]> {
  const latest = await queries
    .select({ role: messages.role, content: messages.content, functionCalls: messages.functionCalls })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversationId),
        ne(messages.replyState, 'failed'),
        ne(messages.role, 'system'),
        beforeCall === undefined
          ? undefined
          : lt(messages.createdAt, sql`(SELECT created_at FROM calls WHERE id = ${beforeCall})`),
      ),
    )
    .orderBy(desc(messages.turn), desc(messages.id))
    .limit(contextMessages);
  return latest.reverse().map((message) => ({ ...message, role: message.role as CallMessage['role'] }));
}
