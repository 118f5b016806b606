import { requestStop } from '../../../client/ending.ts';
import type { Delivered, Delivery } from './deliver.ts';
import { findDelivered } from './look-up.ts';
import { stopReply } from './reply.ts';

/*
 * What is left of a reply that the visitor stopped. Loaded when that first happens.
 */

/**
 * Tells the service to write no further, and what became of the message shows. Gives undefined where the service does
 * not have it: then it was stopped before it arrived.
 *
 * @throws {ChatError} when that cannot be found out
 */
export async function endStopped(delivery: Delivery): Promise<Delivered | undefined> {
  const { client, conversationId, message, apply, snapshot, now } = delivery;
  const { key } = message;
  const end = (): void => {
    apply({ type: 'reply', messages: stopReply(snapshot().messages, key, now()), isPiece: false });
  };
  const hasBegun = snapshot().messages.some((shown) => shown.key === key && shown.status === 'sent');
  // The next message must not overtake this.
  const asked = requestStop(client, conversationId).catch(() => undefined);
  if (hasBegun) end();
  await asked;
  if (hasBegun) return { text: '' };
  const found = await findDelivered(delivery, false);
  if (found && found.text === undefined) end();
  return found && { text: '' };
}
