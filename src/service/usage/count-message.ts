import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { ConversationError } from '../lib/conversation-error.ts';

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

/** A limit that is nearly or fully used up since this message. */
export interface UsageNotice {
  limit: keyof typeof limitNames;
  max: number;
  used: number;
}

/** The fields of the interface, by what they limit. */
const limitNames = {
  assistant: 'max_messages_per_day',
  test: 'max_test_messages_per_day',
  visitor: 'max_visitor_messages_per_day',
} as const;

/** The share of a limit at which its owner is warned. */
const warningShare = 0.8;

/**
 * Counts a message against the limits of its day, in the transaction that stores it. Statements lock the counts in
 * the same order, so simultaneous messages cannot deadlock.
 *
 * @returns the assistant's limits that its owner should know about: 80 % are used, or all.
 * @throws ConversationError if a limit is used up; the transaction then has to be rolled back.
 */
export async function countMessage(tx: Queries, message: CountedMessage): Promise<UsageNotice[]> {
  const { assistantId, type, isPreview, visitor, limits } = message;
  if (isPreview) return [];
  const notices: UsageNotice[] = [];
  const count = async (limit: UsageNotice['limit'], subject: string, max: number) => {
    const { rows } = await tx.execute<{ used: number }>(sql`
      INSERT INTO daily_usage AS usage (assistant_id, day, kind, subject, used)
      SELECT ${assistantId}::integer, (now() AT TIME ZONE 'UTC')::date, ${limit}::text, ${subject}::text, 1
      WHERE ${max}::integer > 0
      ON CONFLICT (assistant_id, day, kind, subject) DO UPDATE SET used = usage.used + 1
        WHERE usage.used < ${max}::integer
      RETURNING used`);
    const used = rows[0]?.used;
    if (used === undefined) throw ConversationError.limitReached(limit === 'test' ? testAdvice(max) : '');
    if (limit !== 'visitor' && [Math.ceil(max * warningShare), max].includes(used)) {
      notices.push({ limit, max, used });
    }
  };
  if (visitor !== undefined) await count('visitor', visitor, limits.maxVisitorMessagesPerDay);
  if (type === 'test') await count('test', '', limits.maxTestMessagesPerDay);
  else await count('assistant', '', limits.maxMessagesPerDay);
  return notices;
}

const testAdvice = (max: number) =>
  `${String(max)} test messages a day without a preview token. Get a token with POST ` +
  `/api/user/assistants/{id}/preview-token, or raise ${limitNames.test}.`;

/** The limit's field of the interface. */
export const fieldOf = ({ limit }: UsageNotice): string => limitNames[limit];

/** Deletes the counts of earlier days, with the addresses in them. */
export async function deletePastUsage(queries: Queries): Promise<void> {
  await queries.execute(sql`DELETE FROM daily_usage WHERE day < (now() AT TIME ZONE 'UTC')::date`);
}
