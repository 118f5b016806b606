import { ChatError, type ChatClient, type ClientTool } from '../../client/chat-client.ts';
import type { Attempt } from './conversation-store.ts';
import type { ConversationEvent } from './reduce.ts';
import { sleep } from './sleep.ts';
import type { Message } from './snapshot.ts';

/** One message on its way. */
export interface Delivery {
  readonly client: ChatClient;
  readonly conversationId: string;
  readonly message: Message;
  readonly attempt: Attempt;
  /** Whether it was sent before, and nobody knows what became of it. */
  readonly isRepeat: boolean;
  readonly clientTools: readonly ClientTool[] | undefined;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly apply: (event: ConversationEvent) => void;
  /** Called when it is certain that the service did not keep the message. */
  readonly onRefused: () => void;
}

export interface Delivered {
  /** undefined while the service, which has the message, has not answered it. */
  readonly text: string | undefined;
  /** Milliseconds from sending to the whole answer; undefined when it was found in the history. */
  readonly latency?: number;
}

/** For how long after it was sent a message may still be on its way, milliseconds. */
const transit = 2000;

/**
 * Sends one message and brings its answer, exactly once: a message that may have arrived already is looked up in the
 * history first, and sent again only if it is not there. That also holds for services without idempotency keys.
 *
 * @throws {ChatError} when the message was refused, or its fate stays unknown
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { client, conversationId, message, attempt, isRepeat, clientTools, signal, now, apply, onRefused } =
    delivery;
  if (isRepeat) {
    // A page that is loaded anew is faster than a request that is stuck on its way.
    const found = await findDelivered(delivery, Math.min(transit, attempt.at + transit - now()), true);
    if (found !== undefined) return found;
  }

  const startedAt = now();
  let firstAt: number | undefined;
  const { key } = message;
  try {
    const answer = await client.streamMessage(
      conversationId,
      message.text,
      {
        onDelta: (text) => {
          firstAt ??= now();
          if (!signal.aborted) apply({ type: 'delta', key, text });
        },
        onFunctionCall: (call) => {
          firstAt ??= now();
          if (!signal.aborted) apply({ type: 'function-call', key, call });
        },
      },
      { ...attempt, clientTools, signal, idempotencyKey: key },
    );
    const latency = now() - startedAt;
    const timing = { first: (firstAt ?? now()) - startedAt, total: latency };
    if (!signal.aborted) apply({ type: 'answered', key, answer, at: now(), timing });
    return { text: answer.message, latency };
  } catch (error) {
    if (signal.aborted || !(error instanceof ChatError)) throw error;
    if (!error.fateUnknown) onRefused();
    else if (firstAt !== undefined || error.code === 'timeout') {
      // The stream was cut, but it had begun: the service goes on writing, and the history will have the answer.
      await sleep(500, signal);
      const found = await findDelivered(delivery, transit, firstAt !== undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/**
 * Looks for a message in the history; undefined if it is not there.
 *
 * @param patience how long the message itself may need to show up, milliseconds
 * @param waits whether to wait for the answer of one that is there
 */
export async function findDelivered(
  delivery: Delivery,
  patience: number,
  waits: boolean,
): Promise<Delivered | undefined> {
  const { lookUp, isSettled } = await import('./look-up.ts').catch((cause: unknown) => {
    throw new ChatError('network', 'A part of the chat could not be loaded.', { cause });
  });
  const found = await lookUp(delivery, patience, waits);
  if (found === undefined) return undefined;
  const { session, answer } = found;
  if (!isSettled(found)) return { text: undefined };
  delivery.apply({ type: 'history', session, accepted: delivery.message.key });
  return { text: answer ?? '' };
}
