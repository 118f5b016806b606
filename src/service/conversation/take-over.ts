import { and, eq } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import { addLine } from './add-line.ts';
import { ConversationError } from '../lib/conversation-error.ts';

/** What the history says of a change. */
export const announcements = {
  joined: 'A person has joined the conversation.',
  left: 'The assistant is back.',
  handedOver: 'The assistant has handed the conversation over to a person',
  ended: 'The assistant has ended the conversation.',
} as const;

/** A conversation and the user who asks. Somebody else's conversation is not told from one that does not exist. */
export interface OwnedConversation {
  uuid: string;
  userId: number;
}

/**
 * Lets a person take a conversation over, or hand it back. Messages that were accepted before are still answered by
 * the assistant.
 *
 * @throws ConversationError
 */
export async function setAiEnabled(
  { db }: Database,
  owned: OwnedConversation,
  enabled: boolean,
): Promise<void> {
  await db.transaction(async (tx) => {
    const conversation = await lockOwned(tx, owned);
    if (conversation.aiEnabled === enabled) return;
    await tx.update(conversations).set({ aiEnabled: enabled }).where(eq(conversations.id, conversation.id));
    await addLine(tx, conversation, 'system', enabled ? announcements.left : announcements.joined);
  });
}

/**
 * Says something in the assistant's place. Brings a conversation back that has ended.
 *
 * @throws ConversationError
 */
export async function writeAsPerson({ db }: Database, owned: OwnedConversation, text: string): Promise<void> {
  await db.transaction(async (tx) => {
    const conversation = await lockOwned(tx, owned);
    await tx.update(conversations).set({ endedAt: null }).where(eq(conversations.id, conversation.id));
    await addLine(tx, conversation, 'assistant', text);
  });
}

async function lockOwned(queries: Queries, { uuid, userId }: OwnedConversation) {
  const [conversation] = await queries
    .select({ id: conversations.id, turns: conversations.turns, aiEnabled: conversations.aiEnabled })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(and(eq(conversations.uuid, uuid), eq(assistants.userId, userId)))
    .for('no key update', { of: conversations });
  if (!conversation) throw ConversationError.conversationNotFound();
  return conversation;
}
