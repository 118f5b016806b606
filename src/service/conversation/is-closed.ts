import { sql } from 'drizzle-orm';
import type { SQLWrapper } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import { isInactive, isReplying } from './is-inactive.ts';

/*
 * Conditions for queries that join conversations with assistants.
 */

/** Whether a conversation has ended, also by inactivity, and its assistant does not resume conversations. */
export const hasEndedForGood = sql<boolean>`(NOT ${assistants.conversationEndedRetrigger}
  AND (${conversations.endedAt} IS NOT NULL OR ${isInactive}))`;

/** The number of a visitor's messages in a conversation, without those whose reply failed. */
const countVisitorMessages = (
  conversationId: SQLWrapper | number,
) => sql<number>`(SELECT count(*)::integer FROM ${messages}
  WHERE ${messages.conversationId} = ${conversationId} AND ${messages.role} = 'user'
    AND ${messages.replyState} <> 'failed')`;

/**
 * Whether a conversation accepts no more messages: its visitor has sent as many as its assistant allows, or it has ended
 * for good. Messages are counted only if there are enough turns: each is a turn of its own, and so are a person's.
 */
export const isClosed = sql<boolean>`((${conversations.turns} >= ${assistants.maxConversationMessages}
    AND ${countVisitorMessages(conversations.id)} >= ${assistants.maxConversationMessages})
  OR ${hasEndedForGood})`;

/** Whether a conversation is closed and all replies are written: until then, its readers wait for them. */
export const isClosedAndAnswered = sql<boolean>`(${isClosed} AND NOT ${isReplying})`;

/**
 * Whether the visitor has sent as many messages as the assistant allows. The conversation must be locked by an earlier
 * statement: the locking statement itself does not see concurrent messages.
 */
export async function hasReachedMessageLimit(
  tx: Queries,
  { id, turns, maxMessages }: { id: number; turns: number; maxMessages: number },
): Promise<boolean> {
  if (turns < maxMessages) return false;
  const { rows } = await tx.execute<{ count: number }>(sql`SELECT ${countVisitorMessages(id)} AS count`);
  return (rows[0]?.count ?? 0) >= maxMessages;
}
