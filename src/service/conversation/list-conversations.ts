import { and, asc, desc, eq, gt, inArray, lt, sql } from 'drizzle-orm';
import type { ConversationsQuery } from '../../contract/conversation.ts';
import { containsDigits } from '../db/contains-digits.ts';
import type { Database } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import type { Cursor } from '../http/paginate.ts';
import { isUuid } from '../lib/uuid.ts';
import { identifierDigits, isPhoneIdentifier } from './customer-conversation.ts';
import { latestProblems } from './latest-problems.ts';

const conversationTypes = ['widget', 'test'] as const;

/** Messages that visitors see: those whose reply failed do not count. */
const ofConversation = sql`FROM messages
  WHERE messages.conversation_id = conversations.id AND messages.reply_state <> 'failed'`;

/** Our addition, for evaluated conversations. */
const evaluated = {
  evaluation: conversations.evaluation,
  extracted_variables: conversations.extractedVariables,
};

const record = {
  id: conversations.uuid,
  assistant_id: assistants.uuid,
  assistant_name: assistants.name,
  type: conversations.type,
  variables: conversations.variables,
  // As in the webhook: no system events, and no replies that were stopped before their first word.
  message_count: sql<number>`(SELECT count(*)::integer ${ofConversation}
    AND messages.role <> 'system' AND messages.content ~ '\\S')`,
  total_cost: sql<number>`(SELECT coalesce(sum(messages.cost), 0)::float ${ofConversation})`,
  ai_enabled: conversations.aiEnabled,
  verified_user: conversations.verifiedUser,
  created_at: wireTimestamp(conversations.createdAt),
  updated_at: wireTimestamp(conversations.updatedAt),
};

/** Lists the conversations of a user's assistants, deleted ones included, newest first: one page from a cursor on. */
export async function listConversations(
  { db }: Database,
  userId: number,
  {
    type,
    assistant_id: assistant,
    customer_phone: digits,
    external_identifier: identifier,
  }: ConversationsQuery,
  { cursor, size }: { cursor: Cursor | undefined; size: number },
) {
  const isAscending = cursor?.direction === 'newer';
  const order = (isAscending ? asc : desc)(conversations.id);
  const types = type === undefined ? conversationTypes : conversationTypes.filter((each) => each === type);
  // One query for each assistant and type, so that the index returns the rows in order without reading others.
  const filter = and(
    sql`${conversations.assistantId} = assistants.id AND ${conversations.type} = types.type`,
    identifier === undefined ? undefined : eq(conversations.customerIdentifier, identifier),
    cursor && (isAscending ? gt : lt)(conversations.id, cursor.than),
  );
  const isOwned = sql`assistants.user_id = ${userId}
    AND ${assistant === undefined ? sql`true` : isAssistant(assistant)}`;
  const givenTypes = sql`unnest(${sql.param(types)}::text[]) AS types (type)`;
  const page = sql`ORDER BY ${order} LIMIT ${size + 1}`;
  const ids =
    digits === undefined
      ? sql`(SELECT conversations.id FROM assistants, ${givenTypes}, LATERAL (
          SELECT id FROM conversations WHERE ${filter} ${page}) AS conversations WHERE ${isOwned} ${page})`
      : // Few match, so they are materialized. Otherwise, PostgreSQL would search in the order of the list.
        sql`(WITH matches AS MATERIALIZED (
            SELECT id, assistant_id, type, customer_identifier FROM conversations WHERE ${hasPhoneDigits(digits)})
          SELECT conversations.id FROM matches AS conversations, assistants, ${givenTypes}
          WHERE ${filter} AND ${isOwned} ${page})`;
  const rows = await db
    .select({ rowId: conversations.id, record, evaluated, problems: latestProblems })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(inArray(conversations.id, ids))
    .orderBy(order);
  const items = rows.slice(0, size).map((row) => ({
    rowId: row.rowId,
    record: {
      ...row.record,
      ...(row.evaluated.evaluation !== null && row.evaluated),
      ...(row.problems !== null && { problems: row.problems }),
    },
  }));
  return { items: isAscending ? items.reverse() : items, more: rows.length > size };
}

const isAssistant = (idOrUuid: string) =>
  isUuid(idOrUuid) ? eq(assistants.uuid, idOrUuid) : sql`${assistants.id} = ${idOrUuid}::bigint`;

/** Whether the customer's identifier is a phone number that contains these digits. */
const hasPhoneDigits = (digits: string) =>
  sql`${isPhoneIdentifier} AND ${containsDigits(identifierDigits, digits)}`;
