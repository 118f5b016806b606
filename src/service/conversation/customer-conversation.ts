import { randomUUID } from 'node:crypto';
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { widgetMessagePrice } from '../billing/prices.ts';
import type { Queries } from '../db/database.ts';
import { assistants, conversations, users } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { noteEnd } from './end-conversation.ts';
import type { Ending } from './end-conversation.ts';
import { hasEnded } from './has-ended.ts';

/** A customer of another system, an assistant, and the user who has both. */
export interface Customer {
  assistantId: number;
  userId: number;
  /** What the other system calls the customer. */
  identifier: string;
}

/**
 * The conversation of an assistant with a customer: the latest one, or a new one where there is none or it takes no
 * more messages. A new one begins without the initial message, which the customer would never have seen. It is billed
 * like one of a widget.
 *
 * @returns its UUID.
 * @throws ConversationError
 */
export async function findOrOpen({ database: { db }, jobs }: Ending, customer: Customer): Promise<string> {
  const { assistantId, identifier } = customer;
  return db.transaction(async (tx) => {
    const assistant = await readAssistant(tx, customer);
    // Two first messages at once would open two conversations.
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${assistantId}::integer, hashtext(${identifier}))`);
    const [latest] = await tx
      .select({ id: conversations.id, uuid: conversations.uuid, hasEnded })
      .from(conversations)
      .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
      .where(
        and(eq(conversations.assistantId, assistantId), eq(conversations.customerIdentifier, identifier)),
      )
      .orderBy(desc(conversations.id))
      .limit(1);
    if (latest && !latest.hasEnded) return latest.uuid;
    if (!assistant.canPay) throw ConversationError.insufficientBalance();
    // Its silence may not have been noticed yet.
    if (latest) await noteEnd(tx, jobs, latest.id);
    const uuid = randomUUID();
    const { variables } = assistant;
    await tx
      .insert(conversations)
      .values({ uuid, assistantId, type: 'widget', variables, customerIdentifier: identifier });
    return uuid;
  });
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
