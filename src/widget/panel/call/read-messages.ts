import type { Session } from '../../conversation/session.ts';

/**
 * Replaces the messages of a call that is over by those that the service has stored.
 *
 * @throws {ChatError} `network` if a part of the chat cannot be loaded
 */
export async function readMessages(session: Session, call: object): Promise<void> {
  if (session.snapshot.call === call) session.apply({ type: 'call', call: undefined });
  const { followUpdates } = await session.environment.loadLazyPart();
  // Aborted, so it reads once.
  const once = { isExpected: true, isDue: true, signal: AbortSignal.abort() };
  await followUpdates(session, once).catch(() => undefined);
}
