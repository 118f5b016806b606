import { and, count, eq, sql } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import { exceedsLimit } from '../billing/spending-limit.ts';
import { widgetMessagePrice } from '../billing/prices.ts';
import type { Database, Queries } from '../db/database.ts';
import { isTransientError } from '../db/is-transient-error.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { StoredToolResult, StoredVariables } from '../db/schema.ts';
import type { PageTool } from '../engine/engine.ts';
import { claimKey, recordOutcome } from '../idempotency/idempotency-key.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Lease } from '../lib/lease.ts';
import { findOrOpenCustomerConversation } from './customer-conversation.ts';
import type { Customer } from './customer-conversation.ts';
import { countForAssistant, countForVisitor } from '../usage/daily-usage.ts';
import type { DailyLimits } from '../usage/daily-usage.ts';
import type { VisitorAddresses } from '../lib/visitor-addresses.ts';
import { sendUsageNotices } from '../usage/send-usage-notices.ts';
import { spendingNotice } from '../usage/usage-notice.ts';
import type { UsageNotice } from '../usage/usage-notice.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { checkOrigin } from './check-origin.ts';
import type { EndingDependencies } from './end-conversation.ts';
import { hasEndedForGood, hasReachedMessageLimit } from './is-closed.ts';
import { mergeVariables, withoutPrivate } from './merge-variables.ts';
import { requireProof } from './proof-of-work.ts';

/** A visitor's message with its attachments. */
export interface VisitorMessage {
  text: string;
  /** Merged into the conversation's variables. */
  variables: StoredVariables;
  /** The tools of the page that the assistant may call. */
  pageTools: PageTool[];
  /** The results of the page's tools since the last message. */
  toolResults: StoredToolResult[];
  /** Undefined for requests with an API key. */
  sender?: Sender;
  /** The solution of the challenge for this message, if there was one. */
  proofOfWork?: string | undefined;
}

/** The origin and addresses of a visitor's request. */
export interface Sender extends VisitorAddresses {
  /** The `Origin` header. */
  origin: string | undefined;
}

/** A stored, paid user message whose reply is pending. */
export interface AcceptedMessage extends Pick<VisitorMessage, 'text' | 'pageTools' | 'toolResults'> {
  id: number;
  conversationId: number;
  turn: number;
  /** Whether an earlier message was still being answered when this one was stored. */
  isQueued: boolean;
}

/**
 * How a message was accepted: to be answered by the assistant, only stored because a person has taken over, or as a
 * repeat of an earlier request with the same idempotency key.
 */
export type Acceptance = { conversationUuid: string } & (
  { kind: 'answer'; message: AcceptedMessage } | { kind: 'store' } | { kind: 'repeat'; messageId: number }
);

/** The part of the service that answers accepted messages. */
export interface Answerer {
  /** Marks its messages. */
  readonly lease: Lease;
  /** Starts the reply to a message that may have been stored, once the database shows that it was. */
  startIfStored(message: AcceptedMessage): Promise<void>;
}

/**
 * Stores a visitor's message and charges its price, both or neither; a message for a person is free. The conversation's
 * row is locked first, so turns are numbered in the order in which they are stored. The key is claimed before the
 * balance is charged.
 *
 * @throws ConversationError
 */
export async function acceptMessage(
  { database, jobs }: EndingDependencies,
  conversationUuid: string,
  message: VisitorMessage,
  replies: Answerer,
  keyed?: KeyedRequest,
): Promise<Acceptance> {
  return accept(database, replies, async (tx) => {
    const conversation = await lockConversation(tx, conversationUuid);
    const earlier = keyed && (await claimKey(tx, keyed));
    if (earlier) return { kind: 'repeat', conversationUuid, messageId: earlier.messageId ?? notFound() };
    return storeMessage({ tx, jobs }, conversation, message, replies.lease, keyed);
  });
}

/**
 * Like {@link acceptMessage}, for the conversation with a customer, which is opened if there is none. The key is
 * claimed first, so a repeat opens no conversation, even if the first answer ended it.
 *
 * @throws ConversationError
 */
export async function acceptCustomerMessage(
  { database, jobs }: EndingDependencies,
  customer: Customer,
  message: VisitorMessage,
  replies: Answerer,
  keyed?: KeyedRequest,
): Promise<Acceptance> {
  return accept(database, replies, async (tx) => {
    const earlier = keyed && (await claimKey(tx, keyed));
    if (earlier) {
      const [conversation] = await tx
        .select({ uuid: conversations.uuid })
        .from(conversations)
        .where(eq(conversations.id, earlier.conversationId ?? notFound()));
      if (!conversation) return notFound();
      return {
        kind: 'repeat',
        conversationUuid: conversation.uuid,
        messageId: earlier.messageId ?? notFound(),
      };
    }
    const uuid = await findOrOpenCustomerConversation(tx, jobs, customer);
    return storeMessage({ tx, jobs }, await lockConversation(tx, uuid), message, replies.lease, keyed);
  });
}

const notFound = (): never => {
  throw ConversationError.conversationNotFound();
};

/** Runs a transaction that accepts a message. A lost connection does not show whether it was committed. */
async function accept(
  { transaction }: Database,
  replies: Answerer,
  work: (tx: Queries) => Promise<Acceptance>,
): Promise<Acceptance> {
  const last: { acceptance?: Acceptance } = {};
  try {
    return await transaction(async (tx) => (last.acceptance = await work(tx)));
  } catch (error) {
    if (last.acceptance?.kind === 'answer' && isTransientError(error))
      void replies.startIfStored(last.acceptance.message);
    throw error;
  }
}

async function storeMessage(
  { tx, jobs }: { tx: Queries; jobs: Jobs },
  conversation: LockedConversation,
  message: VisitorMessage,
  lease: Lease,
  keyed: KeyedRequest | undefined,
): Promise<Acceptance> {
  if (conversation.assistantDeleted) throw ConversationError.assistantNotFound();
  if (conversation.hasEndedForGood || (await hasReachedMessageLimit(tx, conversation)))
    throw ConversationError.conversationEnded();

  const { id: conversationId, aiEnabled, assistantId, type, isPreview } = conversation;
  const { sender } = message;
  if (sender && !isPreview) checkOrigin(conversation.allowedOrigins, sender.origin);
  await checkPending(tx, conversation);
  const { text, pageTools, toolResults } = message;
  const isBilled = aiEnabled && type === 'widget';
  const turn = conversation.turns + 1;
  const given = sender ? withoutPrivate(message.variables, conversation.privateVariables) : message.variables;
  const [stored] = await insertMessage(tx, {
    conversationId,
    turn,
    text,
    toolResults,
    variables: mergeVariables(conversation.variables, given),
    cost: isBilled ? widgetMessagePrice : '0',
    replyState: aiEnabled ? 'pending' : 'none',
    owner: aiEnabled ? lease.owner : null,
    leaseMs: aiEnabled ? lease.milliseconds : null,
  });
  if (!stored) throw new Error('The message was not stored.');
  if (keyed) await recordOutcome(tx, keyed, { conversationId, messageId: stored.id });
  // Last, because all conversations of the assistant lock the same counts, and all of the owner the same balance.
  const source = { assistantId, type, isPreview, limits: conversation, visitor: sender };
  const answered = aiEnabled ? 1 : 0;
  const usage = { conversations: 0, messages: 1, answered, stored: [text, given, toolResults] };
  const visitorShare = await countForVisitor(tx, source, usage);
  if (conversation.proofOfWork) {
    const use = { turn: String(turn) };
    const proven = { conversationUuid: conversation.uuid, use, share: visitorShare };
    await requireProof(tx, proven, message.proofOfWork);
  }
  const notices: (UsageNotice | undefined)[] = await countForAssistant(tx, source, usage);
  if (isBilled) {
    const paid = await moveMoney(tx, {
      userId: conversation.ownerId,
      kind: 'charge',
      amount: widgetMessagePrice,
      messageId: stored.id,
    });
    if (!paid) {
      const isLimit = await exceedsLimit(tx, conversation.ownerId, widgetMessagePrice);
      throw isLimit ? ConversationError.limitReached('') : ConversationError.insufficientBalance();
    }
    notices.push(spendingNotice(paid, widgetMessagePrice));
  }
  await sendUsageNotices({ tx, jobs }, assistantId, notices);
  if (!aiEnabled) {
    if (conversation.notifiesDesk)
      await jobs.send('handoff-notice', { messageId: stored.id, reason: 'message' }, { tx });
    return { kind: 'store', conversationUuid: conversation.uuid };
  }
  return {
    kind: 'answer',
    conversationUuid: conversation.uuid,
    message: { ...stored, conversationId, turn, text, pageTools, toolResults },
  };
}

/** Maximum number of pending messages in a conversation. */
export const maxPending = 50;

/** Counts only after the conversation is locked: a count in the locking query would not see concurrent messages. */
async function checkPending(tx: Queries, { id, turns }: LockedConversation): Promise<void> {
  if (turns < maxPending) return;
  const [pending] = await tx
    .select({ count: count() })
    .from(messages)
    .where(and(eq(messages.conversationId, id), eq(messages.replyState, 'pending')));
  if (pending && pending.count >= maxPending) throw ConversationError.tooManyPending();
}

/** A conversation whose row is locked. */
interface LockedConversation extends DailyLimits {
  id: number;
  assistantId: number;
  isPreview: boolean;
  allowedOrigins: string[];
  proofOfWork: boolean;
  /** Whether a webhook is sent when the visitor needs a person. */
  notifiesDesk: boolean;
  privateVariables: string[];
  uuid: string;
  type: 'widget' | 'test';
  turns: number;
  variables: StoredVariables;
  aiEnabled: boolean;
  maxMessages: number;
  hasEndedForGood: boolean;
  ownerId: number;
  assistantDeleted: boolean;
}

interface NewMessage extends Pick<AcceptedMessage, 'conversationId' | 'turn' | 'text' | 'toolResults'> {
  /** The new variables of the conversation. */
  variables: StoredVariables;
  cost: string;
  /** `none` during a human handoff. */
  replyState: 'pending' | 'none';
  owner: string | null;
  leaseMs: number | null;
}

/** Does not see the message that is being inserted. */
const isQueued = sql<boolean>`EXISTS (SELECT 1 FROM messages AS earlier
  WHERE earlier.conversation_id = messages.conversation_id AND earlier.reply_state = 'pending'
    AND earlier.reply_lease_until > now())`;

/** Inserts a message and updates its conversation, which must be locked. */
const insertMessage = prepared<NewMessage, Pick<AcceptedMessage, 'id' | 'isQueued'>[]>((queries, params) => {
  const update = queries
    .update(conversations)
    .set({
      turns: sql`${params.turn}`,
      updatedAt: sql`now()`,
      // A resumed conversation is no longer ended.
      endedAt: null,
      variables: sql`${sql.param(params.variables, conversations.variables)}`,
    })
    .where(eq(conversations.id, params.conversationId));
  return queries
    .with(queries.$with('conversation', {}).as(update.getSQL()))
    .insert(messages)
    .values({
      conversationId: params.conversationId,
      turn: params.turn,
      role: 'user',
      content: params.text,
      toolResults: params.toolResults,
      cost: params.cost,
      replyState: params.replyState,
      replyOwner: params.owner,
      replyLeaseUntil: leaseEnd(params.leaseMs),
    })
    .returning({ id: messages.id, isQueued });
});

async function lockConversation(queries: Queries, uuid: string) {
  const [conversation] = await selectLocked(queries, { uuid });
  return conversation ?? notFound();
}

const selectLocked = prepared<{ uuid: string }, LockedConversation[]>((queries, params) =>
  queries
    .select({
      id: conversations.id,
      assistantId: conversations.assistantId,
      uuid: conversations.uuid,
      type: conversations.type,
      isPreview: conversations.isPreview,
      maxMessagesPerDay: assistants.maxMessagesPerDay,
      maxVisitorMessagesPerDay: assistants.maxVisitorMessagesPerDay,
      maxTestMessagesPerDay: assistants.maxTestMessagesPerDay,
      allowedOrigins: assistants.allowedOrigins,
      proofOfWork: assistants.proofOfWork,
      notifiesDesk: sql<boolean>`${assistants.handoffWebhookUrl} IS NOT NULL`,
      privateVariables: assistants.privateVariables,
      turns: conversations.turns,
      variables: conversations.variables,
      aiEnabled: conversations.aiEnabled,
      maxMessages: assistants.maxConversationMessages,
      hasEndedForGood,
      ownerId: assistants.userId,
      assistantDeleted: sql<boolean>`${assistants.deletedAt} IS NOT NULL`,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.uuid, params.uuid))
    .for('no key update', { of: conversations }),
);
