import { randomUUID } from 'node:crypto';
import { and, desc, eq, isNull, sql } from 'drizzle-orm';
import { isVerifiedName } from '../../contract/user-token.ts';
import { widgetMessagePrice } from '../billing/prices.ts';
import type { Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations, messages, users } from '../db/schema.ts';
import type { StoredVariables } from '../db/schema.ts';
import { claimKey, recordOutcome } from '../idempotency/idempotency-key.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { fillVariables } from '../lib/fill-variables.ts';
import { countForAssistant, countForVisitor } from '../usage/daily-usage.ts';
import type { DailyLimits } from '../usage/daily-usage.ts';
import { sendUsageNotices } from '../usage/send-usage-notices.ts';
import type { Visitor } from '../user-token/identify-visitor.ts';
import type { Sender } from './accept-message.ts';
import { checkOrigin } from './check-origin.ts';
import type { EndingDependencies } from './end-conversation.ts';
import { isClosed } from './is-closed.ts';
import { readHistory, toHistoryEntry, visibleColumns } from './history.ts';
import type { HistoryEntry, VisibleLine } from './history.ts';
import { isTooMany, withoutPrivate } from './merge-variables.ts';

/** A newly opened conversation. */
export interface OpenedConversation {
  uuid: string;
  /** The assistant's initial message; empty without one. */
  history: HistoryEntry[];
  /** Cursor of the events after this response. */
  eventsCursor: string;
}

/** A request to open a conversation. */
export interface OpeningRequest {
  assistantUuid: string;
  type: 'widget' | 'test';
  variables: StoredVariables;
  visitor: Visitor;
  sender: Sender;
  /** Whether to open a conversation even if the verified user has one that has not ended. */
  isNew: boolean;
}

/**
 * Opens a conversation (interface: `POST /conversations`), or resumes the latest one of a verified user. A `widget`
 * conversation needs an owner who can pay for its first message; opening itself costs nothing.
 *
 * @throws ConversationError
 */
export async function openConversation(
  { database: { transaction }, jobs }: EndingDependencies,
  request: OpeningRequest,
  keyed?: KeyedRequest,
): Promise<OpenedConversation> {
  return transaction(async (tx) => {
    const earlier = keyed && (await claimKey(tx, keyed));
    if (earlier) return readOpened(tx, earlier.conversationId);

    const [assistant] = await selectAssistant(tx, { uuid: request.assistantUuid });
    if (!assistant) throw ConversationError.assistantNotFound();
    if (!request.visitor.isPreview) checkOrigin(assistant.allowedOrigins, request.sender.origin);
    request = { ...request, variables: withoutPrivate(request.variables, assistant.privateVariables) };
    const resumed = await resumeOfUser(tx, assistant, request);
    if (resumed) return resumed;
    if (request.type === 'widget' && !assistant.canPay) throw ConversationError.insufficientBalance();

    const uuid = randomUUID();
    const { type, visitor, sender } = request;
    const variables = { ...assistant.variables, ...request.variables, ...visitor.claims };
    const [conversation] = await insertConversation(tx, {
      uuid,
      assistantId: assistant.id,
      type,
      variables,
      verifiedUser: visitor.verifiedUser,
      isPreview: visitor.isPreview,
    });
    if (!conversation) throw new Error('The conversation was not stored.');

    const content = fillVariables(assistant.initialMessage, variables);
    const initial =
      content.trim() === ''
        ? []
        : await insertInitialMessage(tx, { conversationId: conversation.id, content });
    if (keyed) await recordOutcome(tx, keyed, { conversationId: conversation.id, messageId: null });
    // Last, because all conversations of the assistant lock the same counts.
    const source = { assistantId: assistant.id, type, isPreview: visitor.isPreview, limits: assistant };
    const usage = { conversations: 1, messages: 0, answered: 0, stored: [variables, content] };
    await countForVisitor(tx, { ...source, visitor: sender }, usage);
    const notices = await countForAssistant(tx, { ...source, visitor: sender }, usage);
    await sendUsageNotices({ tx, jobs }, assistant.id, notices);
    return { uuid, history: initial.map(toHistoryEntry), eventsCursor: String(initial[0]?.id ?? 0) };
  });
}

/** Resumes the latest conversation of a verified user unless it has ended, with the variables of this request. */
async function resumeOfUser(
  tx: Queries,
  { id: assistantId, variables: assistantVariables }: OpeningAssistant,
  { visitor: { verifiedUser, claims }, variables, isNew }: OpeningRequest,
): Promise<OpenedConversation | undefined> {
  if (verifiedUser === null) return undefined;
  // Two devices that open at the same time would open two conversations.
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${assistantId}::integer, hashtext(${verifiedUser}))`);
  if (isNew) return undefined;
  const [latest] = await tx
    .select({
      id: conversations.id,
      uuid: conversations.uuid,
      variables: conversations.variables,
      isClosed,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(and(eq(conversations.assistantId, assistantId), eq(conversations.verifiedUser, verifiedUser)))
    .orderBy(desc(conversations.id))
    .limit(1)
    .for('no key update', { of: conversations });
  if (!latest || latest.isClosed) return undefined;
  const { id, uuid } = latest;
  const known = Object.entries(latest.variables).filter(([name]) => !isVerifiedName(name));
  const merged = { ...Object.fromEntries(known), ...variables };
  // A page with other names at each visit must not lock the user out: a new conversation has only these variables.
  const kept = isTooMany(merged) ? { ...assistantVariables, ...variables } : merged;
  await tx
    .update(conversations)
    .set({ variables: { ...kept, ...claims } })
    .where(eq(conversations.id, id));
  const { entries, latestId } = await readHistory(tx, id);
  return { uuid, history: entries, eventsCursor: String(latestId) };
}

interface OpeningAssistant extends DailyLimits {
  id: number;
  initialMessage: string;
  variables: StoredVariables;
  privateVariables: string[];
  allowedOrigins: string[];
  canPay: boolean;
}

const selectAssistant = prepared<{ uuid: string }, OpeningAssistant[]>((queries, params) =>
  queries
    .select({
      id: assistants.id,
      initialMessage: assistants.initialMessage,
      variables: assistants.variables,
      privateVariables: assistants.privateVariables,
      allowedOrigins: assistants.allowedOrigins,
      maxMessagesPerDay: assistants.maxMessagesPerDay,
      maxVisitorMessagesPerDay: assistants.maxVisitorMessagesPerDay,
      maxTestMessagesPerDay: assistants.maxTestMessagesPerDay,
      canPay: sql<boolean>`${users.balance} >= ${widgetMessagePrice}::numeric`,
    })
    .from(assistants)
    .innerJoin(users, eq(users.id, assistants.userId))
    .where(and(eq(assistants.uuid, params.uuid), isNull(assistants.deletedAt))),
);

interface NewConversation {
  uuid: string;
  assistantId: number;
  type: 'widget' | 'test';
  variables: StoredVariables;
  verifiedUser: string | null;
  isPreview: boolean;
}

const insertConversation = prepared<NewConversation, { id: number }[]>((queries, params) =>
  queries
    .insert(conversations)
    .values({
      uuid: params.uuid,
      assistantId: params.assistantId,
      type: params.type,
      variables: params.variables,
      verifiedUser: params.verifiedUser,
      isPreview: params.isPreview,
    })
    .returning({ id: conversations.id }),
);

const insertInitialMessage = prepared<{ conversationId: number; content: string }, VisibleLine[]>(
  (queries, params) =>
    queries
      .insert(messages)
      .values({ conversationId: params.conversationId, turn: 0, role: 'assistant', content: params.content })
      .returning(visibleColumns),
);

/** The response to the earlier request with the same key, even if the conversation has changed since. */
async function readOpened(queries: Queries, conversationId: number | null): Promise<OpenedConversation> {
  const [conversation] = await queries
    .select({ uuid: conversations.uuid })
    .from(conversations)
    .where(eq(conversations.id, conversationId ?? 0));
  if (!conversation || conversationId === null) throw ConversationError.conversationNotFound();
  const { entries, latestId } = await readHistory(queries, conversationId, { beforeTurn: 1 });
  return { uuid: conversation.uuid, history: entries, eventsCursor: String(latestId) };
}
