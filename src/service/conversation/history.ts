import { and, asc, desc, eq, gt, lt, max, ne } from 'drizzle-orm';
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
  /** Ascends in the order in which the lines of a conversation were added. */
  id: number;
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
  /** The highest id of these lines, 0 without lines. */
  latestId: number;
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
    lines: page.map(toHistoryLine),
    // A reply may be added after messages of later turns.
    latestId: page.reduce((latest, { id }) => Math.max(latest, id), 0),
  };
}

const toHistoryLine = ({
  role,
  content,
  functionCalls,
  createdAt,
}: Pick<StoredLine, 'role' | 'content' | 'functionCalls' | 'createdAt'>): HistoryLine => ({
  role,
  content,
  ...(functionCalls.length === 0 ? {} : { function_calls: functionCalls }),
  created_at: createdAt,
});

/** An entry that was added to a history, as the event `message` has it. */
export interface AddedLine {
  id: number;
  line: HistoryLine;
  /** Of an answer: the id of the visitor's message. */
  inReplyTo: number | null;
}

/** Entries that are read at once. */
const addedLimit = 100;

/** Reads the entries that were added after the one with the id `after`, in the order in which they were added. */
export async function readAdded(
  queries: Queries,
  conversationId: number,
  after: number,
): Promise<AddedLine[]> {
  const added = await selectAdded(queries, { conversationId, after });
  return added.map(({ id, inReplyTo, ...stored }) => ({ id, inReplyTo, line: toHistoryLine(stored) }));
}

const selectAdded = prepared<
  { conversationId: number; after: number },
  (Pick<StoredLine, 'id' | 'role' | 'content' | 'functionCalls' | 'createdAt'> & {
    inReplyTo: number | null;
  })[]
>((queries, place) =>
  queries
    .select({
      id: messages.id,
      role: messages.role,
      content: messages.content,
      functionCalls: messages.functionCalls,
      createdAt: wireTimestamp(messages.createdAt),
      inReplyTo: messages.inReplyTo,
    })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, place.conversationId),
        ne(messages.replyState, 'failed'),
        gt(messages.id, place.after),
      ),
    )
    .orderBy(asc(messages.id))
    .limit(addedLimit),
);

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
      id: latest.id,
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

/** The id of the entry that was added last, 0 without entries. */
export async function readLatestId(queries: Queries, conversationId: number): Promise<number> {
  const [found] = await queries
    .select({ id: max(messages.id) })
    .from(messages)
    .where(eq(messages.conversationId, conversationId));
  return found?.id ?? 0;
}
