import { and, desc, eq, lt, ne, sql } from 'drizzle-orm';
import type { CallMessage } from '../db/calls-table.ts';
import type { Queries } from '../db/database.ts';
import { messages } from '../db/schema.ts';

/** A message as the assistant in a call reads it. */
export type WrittenMessage = Pick<CallMessage, 'role' | 'content' | 'functionCalls'>;

/** Maximum number of messages of a conversation that the assistant in a call reads. */
const historyLimit = 40;

/**
 * Reads the latest messages of a conversation, oldest first: what was written and, since lines of a call are messages,
 * what was said.
 *
 * @param beforeCall the id of a call; only messages from before it are read.
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
    .limit(historyLimit);
  return latest.reverse().map((message) => ({ ...message, role: message.role as CallMessage['role'] }));
}
