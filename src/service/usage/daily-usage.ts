import { and, eq, lt, sql } from 'drizzle-orm';
import { today } from '../db/database-time.ts';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { webCallMinutes } from '../db/calls-table.ts';
import { dailyUsage } from '../db/schema.ts';
import type { QueueData } from '../jobs/queues.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { networkUsageFactor } from '../lib/visitor-addresses.ts';
import type { VisitorAddresses } from '../lib/visitor-addresses.ts';
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
  /** Undefined if the request has an API key. */
  visitor: VisitorAddresses | undefined;
  limits: DailyLimits;
}

/** The usage of a request. */
export interface Usage {
  /** Conversations that it opens. A visitor may open as many in a day as they may send messages. */
  conversations: number;
  messages: number;
  /** Messages that the assistant answers; a person may answer the others. */
  answered: number;
  /** The stored data: the length of its JSON counts. */
  stored: unknown;
}

/** Maximum number of bytes that a visitor, and all visitors, may store in a day's conversations with an assistant. */
const maxVisitorBytes = 10 * 2 ** 20;
const maxBytes = 2 ** 30;

/** The fields of the interface, by what they limit. */
const limitNames = {
  assistant: 'max_messages_per_day',
  test: 'max_test_messages_per_day',
} as const;

/**
 * Counts a visitor's usage against the limits of its day, in the transaction that stores it. All requests lock counts in
 * the same order, so they cannot deadlock: this first, then {@link countForAssistant}.
 *
 * @returns the share of the messages that is used, 0 to 1.
 * @throws ConversationError if a limit is used up; the transaction then has to be rolled back.
 */
export async function countForVisitor(tx: Queries, source: UsageSource, usage: Usage): Promise<number> {
  const { assistantId, isPreview, visitor, limits } = source;
  if (isPreview || visitor === undefined) return 0;
  const { conversations, messages } = usage;
  const count = async (kind: 'visitor' | 'network', subject: string, factor: number) => {
    const max = limits.maxVisitorMessagesPerDay * factor;
    const row = { assistantId, kind, subject, conversations, messages, bytes: bytesOf(usage), max };
    const counted = await add(tx, { ...row, maxBytes: maxVisitorBytes * factor });
    if (counted === undefined) throw ConversationError.limitReached('');
    return counted.messages / max;
  };
  const share = await count('visitor', visitor.addressBlock, 1);
  const { addressNetwork } = visitor;
  return addressNetwork === undefined
    ? share
    : Math.max(share, await count('network', addressNetwork, networkUsageFactor));
}

/**
 * Counts an assistant's usage, after that of the visitor.
 *
 * @returns the limits that its owner should know about, if 80 % of them are used, or all.
 * @throws ConversationError if a limit is used up; the transaction then has to be rolled back.
 */
export async function countForAssistant(
  tx: Queries,
  source: UsageSource,
  usage: Usage,
): Promise<UsageNotice[]> {
  const { assistantId, isPreview } = source;
  if (isPreview) return [];
  const { kind, max } = allowanceOf(source);
  const bytes = bytesOf(usage);
  const row = { assistantId, kind, subject: '', conversations: 0, messages: usage.answered } as const;
  const counted = await add(tx, { ...row, bytes, max, maxBytes });
  if (counted === undefined) throw allowanceUsed(source);
  const notices = [
    usage.answered > 0
      ? noticeOf({ limit: limitNames[kind], max, used: counted.messages }, usage.answered)
      : undefined,
    noticeOf({ limit: 'stored_bytes_per_day', max: maxBytes, used: counted.bytes }, bytes),
  ];
  return notices.filter((notice) => notice !== undefined);
}

/**
 * Checks that a visitor may send another message today, without counting it.
 *
 * @returns the share of the visitor's messages that is used with it, 0 to 1.
 * @throws ConversationError if a limit is used up.
 */
export async function checkDailyUsage(queries: Queries, source: UsageSource): Promise<number> {
  const { assistantId, isPreview, visitor, limits } = source;
  if (isPreview || visitor === undefined) return 0;
  const shareWithNext = async (kind: Addition['kind'], subject: string, max: number) => {
    const isCount = and(
      eq(dailyUsage.assistantId, assistantId),
      eq(dailyUsage.day, today),
      eq(dailyUsage.kind, kind),
      eq(dailyUsage.subject, subject),
    );
    const [used] = await queries.select({ messages: dailyUsage.messages }).from(dailyUsage).where(isCount);
    return ((used?.messages ?? 0) + 1) / max;
  };
  const { kind, max } = allowanceOf(source);
  if ((await shareWithNext(kind, '', max)) > 1) throw allowanceUsed(source);
  const { addressBlock, addressNetwork } = visitor;
  const { maxVisitorMessagesPerDay } = limits;
  const share = await shareWithNext('visitor', addressBlock, maxVisitorMessagesPerDay);
  const networkShare =
    addressNetwork === undefined
      ? 0
      : await shareWithNext('network', addressNetwork, maxVisitorMessagesPerDay * networkUsageFactor);
  if (Math.max(share, networkShare) > 1) throw ConversationError.limitReached('');
  return Math.max(share, networkShare);
}

const bytesOf = ({ stored }: Usage) => Buffer.byteLength(JSON.stringify(stored));

const kindOf = ({ type }: Pick<UsageSource, 'type'>) => (type === 'test' ? 'test' : 'assistant');

/** The allowance that all visitors of an assistant share. */
function allowanceOf(source: UsageSource) {
  const { maxTestMessagesPerDay, maxMessagesPerDay } = source.limits;
  const kind = kindOf(source);
  return { kind, max: kind === 'test' ? maxTestMessagesPerDay : maxMessagesPerDay } as const;
}

function allowanceUsed(source: UsageSource): ConversationError {
  const { kind, max } = allowanceOf(source);
  return ConversationError.limitReached(kind === 'test' ? testAdvice(max) : '');
}

interface Addition {
  assistantId: number;
  kind: 'assistant' | 'test' | 'visitor' | 'network';
  subject: string;
  conversations: number;
  messages: number;
  bytes: number;
  /** Of conversations, and of messages. */
  max: number;
  maxBytes: number;
}

interface Counted {
  messages: number;
  bytes: number;
}

/** Returns the new counts; undefined, without a change, if a limit would be exceeded. */
async function add(tx: Queries, addition: Addition): Promise<Counted | undefined> {
  const { conversations, messages, bytes, max } = addition;
  if (Math.max(conversations, messages) > max || bytes > addition.maxBytes) return undefined;
  const [counted] = await upsert(tx, addition);
  return counted;
}

const upsert = prepared<Addition, Counted[]>((queries, params) =>
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
      // A count that does not grow may exceed a limit that was lowered during the day.
      setWhere: sql`(excluded.conversations = 0
          OR ${dailyUsage.conversations} + excluded.conversations <= ${params.max}::integer)
        AND (excluded.messages = 0
          OR ${dailyUsage.messages} + excluded.messages <= ${params.max}::integer)
        AND ${dailyUsage.bytes} + excluded.bytes <= ${params.maxBytes}::bigint`,
    })
    .returning({ messages: dailyUsage.messages, bytes: dailyUsage.bytes }),
);

const testAdvice = (max: number) =>
  `${String(max)} test messages a day without a preview token. Get a token with POST ` +
  `/api/user/assistants/{id}/preview-token, or raise ${limitNames.test}.`;

/**
 * Takes back messages of today whose replies failed. Their visitors' counts stay: otherwise a script could use the model
 * without a limit as long as its replies fail.
 */
export async function uncountAnswers(
  tx: Queries,
  source: Pick<UsageSource, 'assistantId' | 'type'>,
  answered: number,
): Promise<void> {
  await tx
    .update(dailyUsage)
    .set({ messages: sql`greatest(0, ${dailyUsage.messages} - ${answered}::integer)` })
    .where(
      and(
        eq(dailyUsage.assistantId, source.assistantId),
        eq(dailyUsage.day, today),
        eq(dailyUsage.kind, kindOf(source)),
      ),
    );
}

/** Returns whether a notice is the first of its kind on its day: after refunds, usage can cross a threshold again. */
export async function isFirstNotice(
  tx: Queries,
  { assistantId, limit, max, percent, day }: QueueData['usage-notice'],
): Promise<boolean> {
  const subject = `${limit} ${String(max)} ${String(percent)}`;
  const stored = await tx
    .insert(dailyUsage)
    .values({ assistantId, day, kind: 'notice', subject, conversations: 0, messages: 0, bytes: 0 })
    .onConflictDoNothing()
    .returning({ subject: dailyUsage.subject });
  return stored.length > 0;
}

/** Deletes the counts of earlier days, with the addresses in them. */
export async function deletePastUsage(queries: Queries): Promise<void> {
  await queries.delete(dailyUsage).where(lt(dailyUsage.day, today));
  await queries.delete(webCallMinutes).where(lt(webCallMinutes.day, today));
}
