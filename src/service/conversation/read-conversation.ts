import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { ConversationError } from './conversation-error.ts';
import { hasEnded } from './has-ended.ts';
import { readHistory } from './history.ts';
import type { HistoryLine } from './history.ts';

/** A conversation as a visitor may see it. */
export interface ReadConversation {
  history: HistoryLine[];
  variables: StoredVariables | null;
  /** False while a person has taken over. */
  aiEnabled: boolean;
  /** Whether it takes no more messages. */
  ended: boolean;
}

/**
 * Reads a conversation (interface: `GET /conversations/{uuid}`).
 *
 * @throws ConversationError
 */
export async function readConversation({ db }: Database, uuid: string): Promise<ReadConversation> {
  const [conversation] = await db
    .select({
      id: conversations.id,
      variables: conversations.variables,
      aiEnabled: conversations.aiEnabled,
      ended: hasEnded,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.uuid, uuid));
  if (!conversation) throw ConversationError.conversationNotFound();
  const { id, variables, aiEnabled, ended } = conversation;
  return {
    history: await readHistory(db, id),
    variables: Object.keys(variables).length === 0 ? null : variables,
    aiEnabled,
    ended,
  };
}
