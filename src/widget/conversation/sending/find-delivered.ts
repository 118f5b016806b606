import { readConversation } from '../history/request-conversation.ts';
import type { Attempt } from '../storage/stored-conversation.ts';
import type { Delivered, Delivery } from './deliver.ts';
import { findIn, isSettled } from './find-in-history.ts';
import { sleep } from './sleep.ts';

/** Pauses between two requests while the service is still writing the answer, in milliseconds. */
const pauses = [500, 1000, 2000, 3000, 5000, 8000, 13_000, 21_000];

/** Milliseconds that a sent request may take to reach the service. */
const maxTransit = 2000;

/**
 * Looks for a message and its answer in the history, with growing pauses. Returns undefined if the message is not
 * there, for example because answering it failed.
 *
 * @param waitsForAnswer whether to wait for the answer if the message is there
 */
export async function findDelivered(
  delivery: Delivery,
  waitsForAnswer: boolean,
): Promise<Delivered | undefined> {
  const { session, conversationId, message, signal } = delivery;
  const attempt = session.attemptOf(message.key) as Attempt;
  const { client, now } = session.environment;
  // After a reload, the request of the previous page may still be in flight.
  const maxWait = Math.min(maxTransit, attempt.at + maxTransit - now());
  let waited = 0;
  for (const pause of pauses) {
    const record = await readConversation(client, conversationId, signal);
    const found = findIn(record, message.text, attempt);
    if (found === undefined && waited >= maxWait) return undefined;
    if (found && isSettled(found)) {
      session.apply({ type: 'history', record, arrived: [message.key] });
      return { text: found.answer ?? '' };
    }
    if (found && !waitsForAnswer) break;
    await sleep(pause, signal);
    waited += pause;
  }
  return { text: undefined };
}
