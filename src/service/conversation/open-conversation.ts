import { randomUUID } from 'node:crypto';
import { and, eq, isNull, sql } from 'drizzle-orm';
import { widgetMessagePrice } from '../billing/prices.ts';
import type { Database, Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations, messages, users } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { claimKey, noteOutcome } from '../idempotency/idempotency-key.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { fillVariables } from '../lib/fill-variables.ts';
import { readHistory } from './history.ts';
import type { HistoryLine } from './history.ts';

/** A conversation as it stands right after opening. */
export interface OpenedConversation {
  uuid: string;
  /** The assistant's initial message, or nothing. */
  history: HistoryLine[];
  /** Where the events after this answer begin. */
  eventsCursor: string;
}

/**
 * Opens a conversation (interface: `POST /conversations`). A `widget` conversation needs an owner who can pay for
 * its first message; opening itself costs nothing.
 *
 * @throws ConversationError
 */
export async function openConversation(
  { transaction }: Database,
  request: { assistantUuid: string; type: 'widget' | 'test'; variables: StoredVariables },
  keyed?: KeyedRequest,
): Promise<OpenedConversation> {
  return transaction(async (tx) => {
    const earlier = keyed && (await claimKey(tx, keyed));
    if (earlier) return readOpened(tx, earlier.conversationId);

    const [assistant] = await selectAssistant(tx, { uuid: request.assistantUuid });
    if (!assistant) throw ConversationError.assistantNotFound();
    if (request.type === 'widget' && !assistant.canPay) throw ConversationError.insufficientBalance();

    const variables = { ...assistant.variables, ...request.variables };
    const uuid = randomUUID();
    const { type } = request;
    const [conversation] = await insertConversation(tx, { uuid, assistantId: assistant.id, type, variables });
    if (!conversation) throw new Error('The conversation was not stored.');

    const content = fillVariables(assistant.initialMessage, variables);
    if (content.trim() !== '') {
      await insertGreeting(tx, { conversationId: conversation.id, content });
    }
    if (keyed) await noteOutcome(tx, keyed, { conversationId: conversation.id, messageId: null });
    const { lines, latestId } = await readHistory(tx, conversation.id);
    return { uuid, history: lines, eventsCursor: String(latestId) };
  });
}

interface OpeningAssistant {
  id: number;
  initialMessage: string;
  variables: StoredVariables;
  canPay: boolean;
}

const selectAssistant = prepared<{ uuid: string }, OpeningAssistant[]>((queries, place) =>
  queries
    .select({
      id: assistants.id,
      initialMessage: assistants.initialMessage,
      variables: assistants.variables,
      canPay: sql<boolean>`${users.balance} >= ${widgetMessagePrice}::numeric`,
    })
    .from(assistants)
    .innerJoin(users, eq(users.id, assistants.userId))
    .where(and(eq(assistants.uuid, place.uuid), isNull(assistants.deletedAt))),
);

interface NewConversation {
  uuid: string;
  assistantId: number;
  type: 'widget' | 'test';
  variables: StoredVariables;
}

const insertConversation = prepared<NewConversation, { id: number }[]>((queries, place) =>
  queries
    .insert(conversations)
    .values({
      uuid: place.uuid,
      assistantId: place.assistantId,
      type: place.type,
      variables: place.variables,
    })
    .returning({ id: conversations.id }),
);

const insertGreeting = prepared<{ conversationId: number; content: string }, unknown>((queries, place) =>
  queries
    .insert(messages)
    .values({ conversationId: place.conversationId, turn: 0, role: 'assistant', content: place.content }),
);

/** What an earlier request with the same key was answered, however far the conversation has come since. */
async function readOpened(queries: Queries, conversationId: number | null): Promise<OpenedConversation> {
  const [conversation] = await queries
    .select({ uuid: conversations.uuid })
    .from(conversations)
    .where(eq(conversations.id, conversationId ?? 0));
  if (!conversation || conversationId === null) throw ConversationError.conversationNotFound();
  const { lines, latestId } = await readHistory(queries, conversationId, { beforeTurn: 1 });
  return { uuid: conversation.uuid, history: lines, eventsCursor: String(latestId) };
}
