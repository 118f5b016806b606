import { readConversation } from '../../conversation/history/request-conversation.ts';
import type { Session } from '../../conversation/session.ts';

/** Reads the variables that the assistant's texts are filled with, for the drawer. */
export async function readVariables(session: Session): Promise<void> {
  const { conversationId } = session.snapshot;
  if (conversationId === undefined) return;
  const { variables } = await readConversation(session.environment.client, conversationId);
  session.apply({ type: 'variables', variables });
}
