import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { isClosedAndAnswered } from './is-closed.ts';
import { readHistory } from './history.ts';
import type { HistoryEntry } from './history.ts';
import { withoutPrivate } from './merge-variables.ts';

/** A conversation as a visitor may see it. */
export interface VisibleConversation {
  history: HistoryEntry[];
  /** Cursor of the entries before these; undefined if there are none. */
  earlierCursor: string | undefined;
  variables: StoredVariables | null;
  /** False while a person has taken over. */
  aiEnabled: boolean;
  /** Whether it accepts no more messages, and all replies are written. */
  ended: boolean;
  /** Cursor of the events after this response; undefined for a page of earlier entries. */
  eventsCursor: string | undefined;
}

/**
 * Reads a conversation (interface: `GET /conversations/{uuid}`).
 *
 * @param cursor `earlierCursor` of an earlier response: reads the entries before it.
 * @throws ConversationError
 */
export async function readConversation(
  { db }: Database,
  uuid: string,
  cursor?: string,
): Promise<VisibleConversation> {
  const beforeTurn = cursor === undefined ? undefined : turnOf(cursor);
  const [conversation] = await db
    .select({
      id: conversations.id,
      variables: conversations.variables,
      privateVariables: assistants.privateVariables,
      aiEnabled: conversations.aiEnabled,
      ended: isClosedAndAnswered,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.uuid, uuid));
  if (!conversation) throw ConversationError.conversationNotFound();
  const { id, aiEnabled, ended } = conversation;
  const variables = withoutPrivate(conversation.variables, conversation.privateVariables);
  const { entries, firstTurn, latestId } = await readHistory(db, id, { beforeTurn });
  return {
    history: entries,
    earlierCursor: firstTurn?.toString(),
    variables: Object.keys(variables).length === 0 ? null : variables,
    aiEnabled,
    ended,
    eventsCursor: cursor === undefined ? String(latestId) : undefined,
  };
}

/** Turn numbers have at most nine digits. */
function turnOf(cursor: string): number {
  if (!/^[1-9]\d{0,8}$/.test(cursor))
    throw new ConversationError('invalid-request', 'before must be a cursor returned as earlier_cursor');
  return Number(cursor);
}
