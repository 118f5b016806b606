import type { Session } from '../session.ts';
import { readConversation } from './request-conversation.ts';

/** Reads the variables that the assistant's texts are filled with. */
export async function readVariables(session: Session): Promise<void> {
  const { conversationId } = session.snapshot;
  if (conversationId === undefined) return;
  const { variables } = await readConversation(session.environment.client, conversationId);
  session.apply({ type: 'variables', variables });
}
