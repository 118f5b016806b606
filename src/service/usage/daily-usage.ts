import { and, eq, lt, sql } from 'drizzle-orm';
import { today } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { dailyUsage } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { noticeOf } from './usage-notice.ts';
import type { UsageNotice } from './usage-notice.ts';

/** The limits of an assistant that count by day, in UTC. */
export interface DailyLimits {
  maxMessagesPerDay: number;
  maxVisitorMessagesPerDay: number;
  maxTestMessagesPerDay: number;
}

/** The conversation that is used. */
export interface UsageSource {
  assistantId: number;
  type: 'widget' | 'test';
  /** Whether a preview token proves that the assistant's owner uses it: previews are unlimited. */
  isPreview: boolean;
  /** The visitor's block of addresses; undefined if the request has an API key. */
  visitor: string | undefined;
  limits: DailyLimits;
}

/** What a request uses. */
export interface Usage {
  /** Those that it opens. A visitor may open as many in a day as they may send messages. */
  conversations: number;
  messages: number;
  /** Those of the messages that the assistant answers; a person may answer the others. */
  answered: number;
  /** What it stores: the length of its JSON counts. */
  stored: unknown;
}

/** Most bytes that a visitor, and all visitors, may store in a day's conversations with an assistant. */
const maxVisitorBytes = 10 * 2 ** 20;
const maxBytes = 2 ** 30;

/** The fields of the interface, by what they limit. */
const limitNames = {
  assistant: 'max_messages_per_day',
  test: 'max_test_messages_per_day',
} as const;

/**
 * Counts usage against the limits of its day, in the transaction that stores it. Statements lock the counts in the same
 * order, so simultaneous requests cannot deadlock.
 *
 * @returns the limit that its owner should know about, if 80 % of it are used, or all; and the share of the visitor's
 *   messages that are used, 0 to 1.
 * @throws ConversationError if a limit is used up; the transaction then has to be rolled back.
 */
export async function countUsage(
  tx: Queries,
  source: UsageSource,
  { conversations, messages, answered, stored }: Usage,
): Promise<{ notice?: UsageNotice | undefined; visitorShare: number }> {
  const { assistantId, isPreview, visitor, limits } = source;
  let visitorShare = 0;
  if (isPreview) return { visitorShare };
  const bytes = Buffer.byteLength(JSON.stringify(stored));
  if (visitor !== undefined) {
    const max = limits.maxVisitorMessagesPerDay;
    const row = { assistantId, kind: 'visitor', subject: visitor } as const;
    const counted = await add(tx, { ...row, conversations, messages, bytes, max, maxBytes: maxVisitorBytes });
    if (counted === undefined) throw ConversationError.limitReached('');
    visitorShare = counted / max;
  }
  const kind = kindOf(source);
  const max = kind === 'test' ? limits.maxTestMessagesPerDay : limits.maxMessagesPerDay;
  const row = { assistantId, kind, subject: '' } as const;
  const used = await add(tx, { ...row, conversations: 0, messages: answered, bytes, max, maxBytes });
  if (used === undefined) throw ConversationError.limitReached(kind === 'test' ? testAdvice(max) : '');
  const usage = { limit: limitNames[kind], max, used };
  return { visitorShare, notice: answered === 0 ? undefined : noticeOf(usage, answered) };
}

const kindOf = ({ type }: Pick<UsageSource, 'type'>) => (type === 'test' ? 'test' : 'assistant');

interface Addition {
  assistantId: number;
  kind: 'assistant' | 'test' | 'visitor' | 'notice';
  subject: string;
  conversations: number;
  messages: number;
  bytes: number;
  /** Of conversations, and of messages. */
  max: number;
  maxBytes: number;
}

/** Returns the messages that are counted then; undefined, without a change, if a limit would be exceeded. */
async function add(tx: Queries, addition: Addition): Promise<number | undefined> {
  const { conversations, messages, bytes, max } = addition;
  if (Math.max(conversations, messages) > max || bytes > addition.maxBytes) return undefined;
  const [counted] = await upsert(tx, addition);
  return counted?.messages;
}

const upsert = prepared<Addition, { messages: number }[]>((queries, params) =>
  queries
    .insert(dailyUsage)
    .values({
      assistantId: params.assistantId,
      day: today,
      kind: params.kind,
      subject: params.subject,
      conversations: params.conversations,
      messages: params.messages,
      bytes: params.bytes,
    })
    .onConflictDoUpdate({
      target: [dailyUsage.assistantId, dailyUsage.day, dailyUsage.kind, dailyUsage.subject],
      set: {
        conversations: sql`${dailyUsage.conversations} + excluded.conversations`,
        messages: sql`${dailyUsage.messages} + excluded.messages`,
        bytes: sql`${dailyUsage.bytes} + excluded.bytes`,
      },
      setWhere: sql`${dailyUsage.conversations} + excluded.conversations <= ${params.max}::integer
        AND ${dailyUsage.messages} + excluded.messages <= ${params.max}::integer
        AND ${dailyUsage.bytes} + excluded.bytes <= ${params.maxBytes}::bigint`,
    })
    .returning({ messages: dailyUsage.messages }),
);

const testAdvice = (max: number) =>
  `${String(max)} test messages a day without a preview token. Get a token with POST ` +
  `/api/user/assistants/{id}/preview-token, or raise ${limitNames.test}.`;

/**
 * Takes back a message of today whose reply failed. Its visitor's count stays: otherwise a script could use the model
 * without a limit as long as its replies fail.
 */
export async function uncountAnswer(
  tx: Queries,
  source: Pick<UsageSource, 'assistantId' | 'type'>,
): Promise<void> {
  await tx
    .update(dailyUsage)
    .set({ messages: sql`greatest(0, ${dailyUsage.messages} - 1)` })
    .where(
      and(
        eq(dailyUsage.assistantId, source.assistantId),
        eq(dailyUsage.day, today),
        eq(dailyUsage.kind, kindOf(source)),
      ),
    );
}

/** Returns whether a notice is the first of its kind today: after refunds, usage can cross a threshold again. */
export async function isFirstNotice(
  tx: Queries,
  assistantId: number,
  { limit, max, percent }: UsageNotice,
): Promise<boolean> {
  const subject = `${limit} ${String(max)} ${String(percent)}`;
  const row = { assistantId, kind: 'notice', subject } as const;
  const counted = await add(tx, { ...row, conversations: 0, messages: 1, bytes: 0, max: 1, maxBytes: 0 });
  return counted !== undefined;
}

/** Deletes the counts of earlier days, with the addresses in them. */
export async function deletePastUsage(queries: Queries): Promise<void> {
  await queries.delete(dailyUsage).where(lt(dailyUsage.day, today));
}
