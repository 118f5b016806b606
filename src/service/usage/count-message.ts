import { lt, sql } from 'drizzle-orm';
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

/** A message to count. */
export interface CountedMessage {
  assistantId: number;
  type: 'widget' | 'test';
  /** Whether a preview token proves that the assistant's owner sends it: such messages are unlimited. */
  isPreview: boolean;
  /** The visitor's block of addresses; undefined if the request has an API key. */
  visitor: string | undefined;
  limits: DailyLimits;
}

/** The fields of the interface, by what they limit. */
const limitNames = {
  assistant: 'max_messages_per_day',
  test: 'max_test_messages_per_day',
} as const;

/**
 * Counts a message against the limits of its day, in the transaction that stores it. Statements lock the counts in
 * the same order, so simultaneous messages cannot deadlock.
 *
 * @returns the limit that its owner should know about, if 80 % of it are used, or all.
 * @throws ConversationError if a limit is used up; the transaction then has to be rolled back.
 */
export async function countMessage(tx: Queries, message: CountedMessage): Promise<UsageNotice | undefined> {
  const { assistantId, type, isPreview, visitor, limits } = message;
  if (isPreview) return undefined;
  const count = async (kind: Count['kind'], subject: string, max: number) => {
    const [counted] = max > 0 ? await increment(tx, { assistantId, kind, subject, max }) : [];
    if (!counted) throw ConversationError.limitReached(kind === 'test' ? testAdvice(max) : '');
    return counted.used;
  };
  if (visitor !== undefined) await count('visitor', visitor, limits.maxVisitorMessagesPerDay);
  const kind = type === 'test' ? 'test' : 'assistant';
  const max = type === 'test' ? limits.maxTestMessagesPerDay : limits.maxMessagesPerDay;
  return noticeOf({ limit: limitNames[kind], max, used: await count(kind, '', max) }, 1);
}

interface Count {
  assistantId: number;
  kind: 'assistant' | 'test' | 'visitor';
  subject: string;
  max: number;
}

/** Counts one more, or returns nothing if the limit is used up. */
const increment = prepared<Count, { used: number }[]>((queries, params) =>
  queries
    .insert(dailyUsage)
    .values({
      assistantId: params.assistantId,
      day: today,
      kind: params.kind,
      subject: params.subject,
      used: 1,
    })
    .onConflictDoUpdate({
      target: [dailyUsage.assistantId, dailyUsage.day, dailyUsage.kind, dailyUsage.subject],
      set: { used: sql`${dailyUsage.used} + 1` },
      setWhere: sql`${dailyUsage.used} < ${params.max}`,
    })
    .returning({ used: dailyUsage.used }),
);

const testAdvice = (max: number) =>
  `${String(max)} test messages a day without a preview token. Get a token with POST ` +
  `/api/user/assistants/{id}/preview-token, or raise ${limitNames.test}.`;

/** Deletes the counts of earlier days, with the addresses in them. */
export async function deletePastUsage(queries: Queries): Promise<void> {
  await queries.delete(dailyUsage).where(lt(dailyUsage.day, today));
}
