import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { conversations } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { ConversationError } from './conversation-error.ts';
import { readHistory } from './history.ts';
import type { HistoryLine } from './history.ts';

/**
 * Reads a conversation (interface: `GET /conversations/{uuid}`).
 *
 * @throws ConversationError
 */
export async function readConversation(
  { db }: Database,
  uuid: string,
): Promise<{ history: HistoryLine[]; variables: StoredVariables | null }> {
  const [conversation] = await db
    .select({ id: conversations.id, variables: conversations.variables })
    .from(conversations)
    .where(eq(conversations.uuid, uuid));
  if (!conversation) throw ConversationError.conversationNotFound();
  const { id, variables } = conversation;
  return {
    history: await readHistory(db, id),
    variables: Object.keys(variables).length === 0 ? null : variables,
  };
}
