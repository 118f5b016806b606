import { and, asc, desc, eq, gt, lt, max, ne } from 'drizzle-orm';
import type { HistoryEvent } from '../../contract/chat-endpoints.ts';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { messages } from '../db/schema.ts';
import type { StoredFunctionCall, StoredToolResult } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { visibleFunctionCall } from './visible-function-call.ts';

/** An entry of a conversation's history on the wire. */
export interface HistoryEntry {
  role: 'assistant' | 'user' | 'system';
  content: string;
  event?: HistoryEvent;
  /** Seconds of the call that has ended. */
  duration?: number;
  function_calls?: StoredFunctionCall[];
  author?: string;
  created_at: string;
}

/** A stored entry, with fields that only engines get. */
export interface StoredEntry {
  /** Ascending in the order in which the entries of a conversation were added. */
  id: number;
  role: HistoryEntry['role'];
  content: string;
  /** The event that an entry with the role `system` reports. */
  event: HistoryEvent | null;
  /** Seconds of the call that has ended. */
  duration: number | null;
  /** The name of the person who wrote it instead of the assistant. */
  author: string | null;
  functionCalls: StoredFunctionCall[];
  toolResults: StoredToolResult[];
  createdAt: string;
  /** A visitor's message and its reply have the same turn. */
  turn: number;
}

/** A page of a history. */
export interface HistoryPage {
  entries: HistoryEntry[];
  /** The first turn of this page, if there are earlier entries. */
  firstTurn: number | undefined;
  /** The highest id of this page, 0 without entries. */
  latestId: number;
}

/** Maximum number of entries per page. Readers get the latest page first. */
export const historyLimit = 1000;

/** Reads a page of a history as a visitor may see it. A page ends between two turns. */
export async function readHistory(
  queries: Queries,
  conversationId: number,
  options: { beforeTurn?: number | undefined } = {},
): Promise<HistoryPage> {
  const found = await readEntries(queries, conversationId, { ...options, limit: historyLimit + 1 });
  const before = found.length > historyLimit ? found[0] : undefined;
  const page = found.filter(({ turn }) => turn !== before?.turn);
  return {
    firstTurn: before && page[0]?.turn,
    entries: page.map(toHistoryEntry),
    // A reply may be added after messages of later turns.
    latestId: page.reduce((latest, { id }) => Math.max(latest, id), 0),
  };
}

/** The part of a stored entry that visitors see, and its id. */
export type VisibleLine = Pick<
  StoredEntry,
  'id' | 'role' | 'content' | 'event' | 'duration' | 'author' | 'functionCalls' | 'createdAt'
>;

/** The columns of a {@link VisibleLine}. */
export const visibleColumns = {
  id: messages.id,
  role: messages.role,
  content: messages.content,
  event: messages.event,
  duration: messages.duration,
  author: messages.author,
  functionCalls: messages.functionCalls,
  createdAt: wireTimestamp(messages.createdAt),
};

/** Returns an entry as visitors see it. */
export const toHistoryEntry = ({
  role,
  content,
  event,
  duration,
  author,
  functionCalls,
  createdAt,
}: Omit<VisibleLine, 'id'>): HistoryEntry => ({
  role,
  content,
  ...(event !== null && { event }),
  ...(duration !== null && { duration }),
  ...(functionCalls.length === 0 ? {} : { function_calls: functionCalls.map(visibleFunctionCall) }),
  ...(author !== null && { author }),
  created_at: createdAt,
});

/** An added entry, as the event `message` has it. */
export interface AddedEntry {
  id: number;
  entry: HistoryEntry;
  /** Answers only: the id of the visitor's message. */
  inReplyTo: number | null;
}

/** Maximum number of entries per query. */
const addedLimit = 100;

/** Reads the entries that were added after the entry `after`, in the order in which they were added. */
export async function readAdded(
  queries: Queries,
  conversationId: number,
  after: number,
): Promise<AddedEntry[]> {
  const added = await selectAdded(queries, { conversationId, after });
  return added.map(({ id, inReplyTo, ...stored }) => ({ id, inReplyTo, entry: toHistoryEntry(stored) }));
}

const selectAdded = prepared<
  { conversationId: number; after: number },
  (VisibleLine & { inReplyTo: number | null })[]
>((queries, params) =>
  queries
    .select({ ...visibleColumns, inReplyTo: messages.inReplyTo })
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, params.conversationId),
        ne(messages.replyState, 'failed'),
        gt(messages.id, params.after),
      ),
    )
    .orderBy(asc(messages.id))
    .limit(addedLimit),
);

/**
 * Reads entries, oldest first: each user message before its reply. Messages whose reply failed are left out: their
 * visitors saw the error, were not charged, and may have sent them again.
 *
 * @param options.beforeTurn leaves out this turn and later ones.
 * @param options.limit most entries; the latest ones count.
 */
export async function readEntries(
  queries: Queries,
  conversationId: number,
  { beforeTurn = maxTurn, limit }: { beforeTurn?: number | undefined; limit: number },
): Promise<StoredEntry[]> {
  return selectLatest(queries, { conversationId, beforeTurn, limit });
}

/** Higher than any turn. */
const maxTurn = 2_147_483_647;

interface HistoryQuery {
  conversationId: number;
  beforeTurn: number;
  limit: number;
}

const selectLatest = prepared<HistoryQuery, StoredEntry[]>((queries, params) => {
  const latest = queries
    .select()
    .from(messages)
    .where(
      and(
        eq(messages.conversationId, params.conversationId),
        ne(messages.replyState, 'failed'),
        lt(messages.turn, params.beforeTurn),
      ),
    )
    .orderBy(desc(messages.turn), desc(messages.id))
    .limit(params.limit)
    .as('latest');
  return queries
    .select({
      id: latest.id,
      role: latest.role,
      content: latest.content,
      event: latest.event,
      duration: latest.duration,
      author: latest.author,
      functionCalls: latest.functionCalls,
      toolResults: latest.toolResults,
      createdAt: wireTimestamp(latest.createdAt),
      turn: latest.turn,
    })
    .from(latest)
    .orderBy(asc(latest.turn), asc(latest.id));
});

/** Returns the id of the latest entry, 0 without entries. */
export async function readLatestId(queries: Queries, conversationId: number): Promise<number> {
  const [found] = await queries
    .select({ id: max(messages.id) })
    .from(messages)
    .where(eq(messages.conversationId, conversationId));
  return found?.id ?? 0;
}
