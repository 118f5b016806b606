import type { Session } from '../../conversation/session.ts';

/**
 * Replaces the messages of a call that is over by those that the service has stored. Resolves with whether they could
 * be read.
 */
export async function readMessages(session: Session, call: object): Promise<boolean> {
  if (session.snapshot.call === call) session.apply({ type: 'call', call: undefined });
  try {
    const { readUpdates } = await session.environment.loadMessaging();
    return (await readUpdates(session)) !== 'failed';
  } catch {
    // The part could not be loaded, or the visitor has left the conversation.
    return false;
  }
}
