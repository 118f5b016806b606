import { eq, sql } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import { widgetMessagePrice } from '../billing/prices.ts';
import type { Database, Queries } from '../db/database.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations, messages } from '../db/schema.ts';
import type { StoredToolResult, StoredVariables } from '../db/schema.ts';
import type { PageTool } from '../engine/engine.ts';
import { claimKey, noteOutcome } from '../idempotency/idempotency-key.ts';
import type { KeyedRequest } from '../idempotency/idempotency-key.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Lease } from '../lib/lease.ts';
import { hasEnded } from './has-ended.ts';
import { mergeVariables } from './merge-variables.ts';

/** A visitor's message with what goes along. */
export interface VisitorMessage {
  conversationUuid: string;
  text: string;
  /** Laid over the conversation's. */
  variables: StoredVariables;
  /** What the assistant may ask the page for. */
  pageTools: PageTool[];
  /** What the page has done since the last message. */
  toolResults: StoredToolResult[];
}

/** A stored, paid user message that waits for its reply. */
export interface AcceptedMessage extends Pick<VisitorMessage, 'text' | 'pageTools' | 'toolResults'> {
  id: number;
  conversationId: number;
  turn: number;
}

/** What became of a message. */
export type Acceptance =
  | { to: 'answer'; message: AcceptedMessage }
  /** Stored for the person who has taken over. */
  | { to: 'keep' }
  /** Stored by an earlier request with the same key. */
  | { to: 'repeat'; messageId: number };

/**
 * Stores a user's message and takes its price, both or neither; one that a person shall answer is free. The conversation's row is locked first, so turns are
 * numbered in the order in which they are stored, and every transaction takes its locks in the same order:
 * conversation, key, balance.
 *
 * @throws ConversationError
 */
export async function acceptMessage(
  { transaction }: Database,
  message: VisitorMessage,
  lease: Lease,
  keyed?: KeyedRequest,
): Promise<Acceptance> {
  return transaction(async (tx) => {
    const conversation = await lockConversation(tx, message.conversationUuid);
    const earlier = keyed && (await claimKey(tx, keyed));
    if (earlier) return { to: 'repeat', messageId: earlier.messageId ?? 0 };
    if (conversation.assistantDeleted) throw ConversationError.assistantNotFound();
    if (conversation.hasEnded) throw ConversationError.conversationEnded();

    const { id: conversationId, aiEnabled } = conversation;
    const { text, pageTools, toolResults } = message;
    const isBilled = aiEnabled && conversation.type === 'widget';
    const turn = conversation.turns + 1;
    const [stored] = await insertMessage(tx, {
      conversationId,
      turn,
      text,
      toolResults,
      cost: isBilled ? widgetMessagePrice : '0',
      replyState: aiEnabled ? 'pending' : 'done',
      owner: aiEnabled ? lease.owner : null,
      leaseMs: aiEnabled ? lease.milliseconds : null,
    });
    if (!stored) throw new Error('The message was not stored.');
    const variables = mergeVariables(conversation.variables, message.variables);
    await noteTurn(tx, { conversationId, turn, variables });
    if (keyed) await noteOutcome(tx, keyed, { conversationId, messageId: stored.id });
    // Last, because the owner's balance is shared by all their conversations: its lock is held the shortest.
    if (isBilled) {
      const paid = await moveMoney(tx, {
        userId: conversation.ownerId,
        kind: 'charge',
        amount: widgetMessagePrice,
        messageId: stored.id,
      });
      if (!paid) throw ConversationError.insufficientBalance();
    }
    if (!aiEnabled) return { to: 'keep' };
    return {
      to: 'answer',
      message: { id: stored.id, conversationId, turn, text, pageTools, toolResults },
    };
  });
}

/** A conversation as it is while nobody else can change it. */
interface LockedConversation {
  id: number;
  type: 'widget' | 'test';
  turns: number;
  variables: StoredVariables;
  aiEnabled: boolean;
  hasEnded: boolean;
  ownerId: number;
  assistantDeleted: boolean;
}

interface NewMessage extends Pick<AcceptedMessage, 'conversationId' | 'turn' | 'text' | 'toolResults'> {
  cost: string;
  replyState: 'pending' | 'done';
  owner: string | null;
  leaseMs: number | null;
}

const insertMessage = prepared<NewMessage, { id: number }[]>((queries, place) =>
  queries
    .insert(messages)
    .values({
      conversationId: place.conversationId,
      turn: place.turn,
      role: 'user',
      content: place.text,
      toolResults: place.toolResults,
      cost: place.cost,
      replyState: place.replyState,
      replyOwner: place.owner,
      replyLeaseUntil: leaseEnd(place.leaseMs),
    })
    .returning({ id: messages.id }),
);

const noteTurn = prepared<{ conversationId: number; turn: number; variables: StoredVariables }, unknown>(
  (queries, place) =>
    queries
      .update(conversations)
      .set({
        turns: sql`${place.turn}`,
        updatedAt: sql`now()`,
        // One that may go on after its end has another one before it.
        endedAt: null,
        variables: sql`${sql.param(place.variables, conversations.variables)}`,
      })
      .where(eq(conversations.id, place.conversationId)),
);

async function lockConversation(queries: Queries, uuid: string) {
  const [conversation] = await selectLocked(queries, { uuid });
  if (!conversation) throw ConversationError.conversationNotFound();
  return conversation;
}

const selectLocked = prepared<{ uuid: string }, LockedConversation[]>((queries, place) =>
  queries
    .select({
      id: conversations.id,
      type: conversations.type,
      turns: conversations.turns,
      variables: conversations.variables,
      aiEnabled: conversations.aiEnabled,
      hasEnded,
      ownerId: assistants.userId,
      assistantDeleted: sql<boolean>`${assistants.deletedAt} IS NOT NULL`,
    })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.uuid, place.uuid))
    .for('no key update', { of: conversations }),
);
