import { randomUUID } from 'node:crypto';
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import { widgetMessagePrice } from '../billing/prices.ts';
import { containsDigits } from '../db/contains-digits.ts';
import type { Queries } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { assistants, conversations, users } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { markEnded } from './end-conversation.ts';
import { isClosed } from './is-closed.ts';

/** A customer of another system, with the assistant and its owner. */
export interface Customer {
  assistantId: number;
  userId: number;
  /** The customer's id in the other system. */
  identifier: string;
}

/** Whether the customer's identifier is a phone number, in any notation. An index has this condition. */
export const isPhoneIdentifier = sql`${conversations.customerIdentifier} ~ '^((tel|sms|rcs|whatsapp):)?[+0-9 ()./-]+$'`;

/** The digits of the customer's identifier. */
export const identifierDigits = sql`regexp_replace(${conversations.customerIdentifier}, '[^0-9]', '', 'g')`;

/**
 * Whether the customer's identifier is a phone number in any international notation, such as `0049 151 …`,
 * `+49 (0)151 …` and `whatsapp:+49151…`.
 *
 * @param phone the number in E.164.
 */
export function hasPhoneNumber(phone: string): SQL {
  const digits = phone.slice(1);
  // An index finds the digits after the country code, which has up to three.
  return sql`${isPhoneIdentifier} AND ${containsDigits(identifierDigits, digits.slice(3))} AND regexp_replace(
    ${conversations.customerIdentifier}, '^[^0-9]*00|(?<=[0-9][^0-9]*)\\(0\\)|[^0-9]', '', 'g') = ${digits}`;
}

/**
 * Finds the latest conversation of an assistant with a customer, or opens one if there is none or it has ended. A new
 * conversation is billed like a widget's and has no initial message, which the customer would never see.
 *
 * @returns its UUID.
 * @throws ConversationError
 */
export async function findOrOpenCustomerConversation(
  tx: Queries,
  jobs: Jobs,
  customer: Customer,
): Promise<string> {
  const { assistantId, identifier } = customer;
  const assistant = await readAssistant(tx, customer);
  // Two simultaneous first messages would open two conversations.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${assistantId}::integer, hashtext(${identifier}))`);
  const isCustomers = and(
    eq(conversations.assistantId, assistantId),
    eq(conversations.customerIdentifier, identifier),
  );
  // In a second statement: the locking one does not see rows that were committed while it waited.
  await tx
    .select({ id: conversations.id })
    .from(conversations)
    .where(isCustomers)
    .orderBy(desc(conversations.id))
    .limit(1)
    .for('no key update');
  const [latest] = await tx
    .select({ id: conversations.id, uuid: conversations.uuid, isClosed })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(isCustomers)
    .orderBy(desc(conversations.id))
    .limit(1);
  if (latest && !latest.isClosed) return latest.uuid;
  if (!assistant.canPay) throw ConversationError.insufficientBalance();
  // It may have ended by inactivity since the last run of `endInactiveConversations`.
  if (latest) await markEnded(tx, jobs, latest.id);
  const uuid = randomUUID();
  const { variables } = assistant;
  await tx
    .insert(conversations)
    .values({ uuid, assistantId, type: 'widget', variables, customerIdentifier: identifier });
  return uuid;
}

async function readAssistant(tx: Queries, { assistantId, userId }: Customer) {
  const [assistant] = await tx
    .select({
      variables: assistants.variables,
      canPay: sql<boolean>`${users.balance} >= ${widgetMessagePrice}::numeric`,
    })
    .from(assistants)
    .innerJoin(users, eq(users.id, assistants.userId))
    .where(and(eq(assistants.id, assistantId), eq(assistants.userId, userId), isNull(assistants.deletedAt)));
  if (!assistant) throw ConversationError.assistantNotFound();
  return assistant;
}
