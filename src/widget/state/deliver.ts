import { ChatError, type ChatClient } from '../../client/chat-client.ts';
import type { ConversationEvent, HistoryItem } from './reduce.ts';
import type { Message } from './snapshot.ts';

/** One message on its way. */
export interface Delivery {
  readonly client: ChatClient;
  readonly conversationId: string;
  readonly message: Message;
  /** How many messages of the visitor the history held when it was first sent. */
  readonly sentAfter: number;
  /** Whether it was sent before, and nobody knows what became of it. */
  readonly isRepeat: boolean;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly apply: (event: ConversationEvent) => void;
  /** Called when it is certain that the service did not keep the message. */
  readonly onRefused: () => void;
}

export interface Delivered {
  readonly text: string;
  /** Milliseconds from sending to the whole answer; undefined when it was found in the history. */
  readonly latency: number | undefined;
}

/** How long to wait between looks for an answer that the service still writes, milliseconds. */
const looks = [500, 1000, 2000, 3000, 5000, 8000, 13_000, 21_000];

/** From which of those on a message that the history does not hold is taken for lost. */
const lostAfter = 2000;

/**
 * Sends one message and brings its answer, exactly once: a message that may have arrived already is looked up in the
 * history first, and sent again only if it is not there. That also holds for services without idempotency keys.
 *
 * @throws {ChatError} when the message was refused, or its fate stays unknown
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { client, conversationId, message, isRepeat, signal, now, apply, onRefused } = delivery;
  if (isRepeat) {
    const found = await findAnswer(delivery, 0);
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
      { signal, idempotencyKey: key },
    );
    const latency = now() - startedAt;
    const timing = { first: (firstAt ?? now()) - startedAt, total: latency };
    if (!signal.aborted) apply({ type: 'answered', key, answer, timing });
    return { text: answer.message, latency };
  } catch (error) {
    if (error instanceof ChatError && !error.fateUnknown) onRefused();
    else if (firstAt !== undefined && !signal.aborted) {
      // The stream was cut, but it had begun: the service goes on writing, and the history will have the answer.
      await sleep(500, signal);
      const found = await findAnswer(delivery, lostAfter);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/**
 * Where a history holds a message of the visitor's, or -1.
 *
 * @param sentAfter how many of the visitor's it held before that
 */
export function findSent(history: readonly HistoryItem[], text: string, sentAfter: number): number {
  let sentBefore = 0;
  return history.findIndex(
    // Services may trim what they store.
    ({ role, content }) => role === 'user' && sentBefore++ >= sentAfter && content.trim() === text.trim(),
  );
}

/**
 * Looks for the answer in the history, with growing pauses. Gives undefined if the message is not there, which is
 * also what becomes of one whose answer failed.
 *
 * @param patience how long the message itself may need to show up, milliseconds
 */
async function findAnswer(delivery: Delivery, patience: number): Promise<Delivered | undefined> {
  const { client, conversationId, message, sentAfter, signal, apply } = delivery;
  for (const pause of looks) {
    const { history } = await client.resumeConversation(conversationId, { signal });
    const lines = history ?? [];
    const last = lines.at(-1);
    const isHeld = findSent(lines, message.text, sentAfter) >= 0;
    if (!isHeld && pause >= patience) return undefined;
    if (isHeld && last?.role !== 'user') {
      if (!signal.aborted) apply({ type: 'history', history: lines, accepted: message.key });
      return { text: last?.content ?? '', latency: undefined };
    }
    await sleep(pause, signal);
  }
  throw new ChatError('timeout', 'The service took your message in, but its answer did not arrive.');
}

function sleep(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, milliseconds);
    signal.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(new ChatError('aborted', 'The conversation was left.'));
      },
      { once: true },
    );
  });
}
