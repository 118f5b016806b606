import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { hasEnded } from './has-ended.ts';
import { readHistory } from './history.ts';
import type { HistoryLine } from './history.ts';

/** A conversation as a visitor may see it. */
export interface ReadConversation {
  history: HistoryLine[];
  /** What to ask for with the lines before these; undefined where there are none. */
  earlierCursor: string | undefined;
  variables: StoredVariables | null;
  /** False while a person has taken over. */
  aiEnabled: boolean;
  /** Whether it takes no more messages. */
  ended: boolean;
  /** Where the events after this answer begin; undefined for earlier lines. */
  eventsCursor: string | undefined;
}

/**
 * Reads a conversation (interface: `GET /conversations/{uuid}`).
 *
 * @param cursor of an earlier answer: gives the lines before those
 * @throws ConversationError
 */
export async function readConversation(
  { db }: Database,
  uuid: string,
  cursor?: string,
): Promise<ReadConversation> {
  const beforeTurn = cursor === undefined ? undefined : turnOf(cursor);
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
  const { lines, firstTurn, latestId } = await readHistory(db, id, { beforeTurn });
  return {
    history: lines,
    earlierCursor: firstTurn?.toString(),
    variables: Object.keys(variables).length === 0 ? null : variables,
    aiEnabled,
    ended,
    eventsCursor: cursor === undefined ? String(latestId) : undefined,
  };
}

/** Every turn's number has at most nine digits. */
function turnOf(cursor: string): number {
  if (!/^[1-9]\d{0,8}$/.test(cursor))
    throw new ConversationError('invalid-request', 'before is no cursor of a history');
  return Number(cursor);
}
