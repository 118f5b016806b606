import { and, eq } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { assistants, conversations } from '../db/schema.ts';
import { addEntry } from './add-entry.ts';
import { eventEntry } from './event-entry.ts';
import { ConversationError } from '../lib/conversation-error.ts';

/** A conversation and the user who requests it. Other users' conversations look like missing ones. */
export interface OwnedConversation {
  uuid: string;
  userId: number;
}

/**
 * Starts or ends a human handoff. During a handoff, `acceptMessage` stores a visitor's messages with the reply state
 * `none`, so the assistant does not answer them, and web calls are refused or end. The assistant still answers messages
 * that were accepted before the handoff.
 *
 * @returns false if that was done already.
 * @throws ConversationError
 */
export async function setAiEnabled(
  { db }: Database,
  owned: OwnedConversation,
  enabled: boolean,
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const conversation = await lockOwned(tx, owned);
    if (conversation.aiEnabled === enabled) return false;
    await tx.update(conversations).set({ aiEnabled: enabled }).where(eq(conversations.id, conversation.id));
    await addEntry(tx, conversation, eventEntry(enabled ? 'person_left' : 'person_joined'));
    return true;
  });
}

/**
 * Adds a person's message, with the role of the assistant. Reopens an ended conversation.
 *
 * @throws ConversationError
 */
export async function writeAsPerson(
  { db }: Database,
  owned: OwnedConversation,
  message: { content: string; author?: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const conversation = await lockOwned(tx, owned);
    await tx.update(conversations).set({ endedAt: null }).where(eq(conversations.id, conversation.id));
    await addEntry(tx, conversation, { role: 'assistant', ...message });
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
