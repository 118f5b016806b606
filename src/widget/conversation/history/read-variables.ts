import type { ConversationClient } from '../../../client/chat-client.ts';
import type { OutboxConversation } from '../sending/outbox.ts';
import { readSession } from './session.ts';

/** Asks for the variables that the assistant fills in; those of a conversation that was left meanwhile are no news. */
export async function readVariables(
  client: ConversationClient,
  { snapshot, apply }: Pick<OutboxConversation, 'snapshot' | 'apply'>,
): Promise<void> {
  const { conversationId } = snapshot();
  if (conversationId === undefined) return;
  const { variables } = await readSession(client, conversationId);
  if (conversationId === snapshot().conversationId) apply({ type: 'variables', variables });
}
