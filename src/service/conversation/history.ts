import { and, asc, desc, eq, lt, ne } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { messages } from '../db/schema.ts';
import type { StoredFunctionCall } from '../db/schema.ts';

/** One line of a conversation's history, as the wire has it. */
export interface HistoryLine {
  role: 'assistant' | 'user' | 'system';
  content: string;
  function_calls?: StoredFunctionCall[];
}

/** Lines that a reader gets at most. A longer conversation shows its latest ones. */
const historyLimit = 1000;

/**
 * Reads what was said, oldest first: each user message before its reply. Messages whose reply failed are left out,
 * because the visitor was told so, was not charged, and may have sent them again.
 *
 * @param beforeTurn leaves out this turn and later ones.
 */
export async function readHistory(
  queries: Queries,
  conversationId: number,
  options: { beforeTurn?: number; limit?: number } = {},
): Promise<HistoryLine[]> {
  const { beforeTurn, limit = historyLimit } = options;
  const latest = queries
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, conversationId),
        ne(messages.replyState, 'failed'),
        beforeTurn === undefined ? undefined : lt(messages.turn, beforeTurn),
      ),
    )
    .orderBy(desc(messages.turn), desc(messages.id))
    .limit(limit)
    .as('latest');
  const rows = await queries.select().from(latest).orderBy(asc(latest.turn), asc(latest.id));
  return rows.map(({ role, content, functionCalls }) => ({
    role,
    content,
    ...(functionCalls.length === 0 ? {} : { function_calls: functionCalls }),
  }));
}
