import { and, asc, desc, eq, lt, ne } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { messages } from '../db/schema.ts';
import type { StoredFunctionCall, StoredToolResult } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';

/** One line of a conversation's history, as the wire has it. */
export interface HistoryLine {
  role: 'assistant' | 'user' | 'system';
  content: string;
  function_calls?: StoredFunctionCall[];
  created_at: string;
}

/** One stored line, with what only an engine gets. */
export interface StoredLine {
  role: HistoryLine['role'];
  content: string;
  functionCalls: StoredFunctionCall[];
  toolResults: StoredToolResult[];
  createdAt: string;
  /** A visitor's message and its reply share one. */
  turn: number;
}

/** A part of a history. */
export interface HistoryPage {
  lines: HistoryLine[];
  /** The first turn of these lines, if there are lines before them. */
  firstTurn: number | undefined;
}

/** Lines that a reader gets at once. Of a longer conversation these are the latest ones, and the others page by page. */
const historyLimit = 1000;

/** Reads what was said, as a visitor may see it. A page ends between two turns. */
export async function readHistory(
  queries: Queries,
  conversationId: number,
  options: { beforeTurn?: number | undefined } = {},
): Promise<HistoryPage> {
  const found = await readLines(queries, conversationId, { ...options, limit: historyLimit + 1 });
  const before = found.length > historyLimit ? found[0] : undefined;
  const page = found.filter(({ turn }) => turn !== before?.turn);
  return {
    firstTurn: before && page[0]?.turn,
    lines: page.map(({ role, content, functionCalls, createdAt }) => ({
      role,
      content,
      ...(functionCalls.length === 0 ? {} : { function_calls: functionCalls }),
      created_at: createdAt,
    })),
  };
}

/**
 * Reads what was said, oldest first: each user message before its reply. Messages whose reply failed are left out,
 * because the visitor was told so, was not charged, and may have sent them again.
 *
 * @param options.beforeTurn leaves out this turn and later ones.
 * @param options.limit lines at most; the latest ones count.
 */
export async function readLines(
  queries: Queries,
  conversationId: number,
  { beforeTurn = endOfTime, limit }: { beforeTurn?: number | undefined; limit: number },
): Promise<StoredLine[]> {
  return selectLatest(queries, { conversationId, beforeTurn, limit });
}

/** A turn that no conversation comes to. */
const endOfTime = 2_147_483_647;

interface Wanted {
  conversationId: number;
  beforeTurn: number;
  limit: number;
}

const selectLatest = prepared<Wanted, StoredLine[]>((queries, place) => {
  const latest = queries
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, place.conversationId),
        ne(messages.replyState, 'failed'),
        lt(messages.turn, place.beforeTurn),
      ),
    )
    .orderBy(desc(messages.turn), desc(messages.id))
    .limit(place.limit)
    .as('latest');
  return queries
    .select({
      role: latest.role,
      content: latest.content,
      functionCalls: latest.functionCalls,
      toolResults: latest.toolResults,
      createdAt: wireTimestamp(latest.createdAt),
      turn: latest.turn,
    })
    .from(latest)
    .orderBy(asc(latest.turn), asc(latest.id));
});
