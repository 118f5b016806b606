import { ChatError, type ChatClient } from '../../client/chat-client.ts';
import type { ConversationEvent, HistoryItem } from './reduce.ts';
import type { Message } from './snapshot.ts';

/** One message on its way. */
export interface Delivery {
  readonly client: ChatClient;
  readonly conversationId: string;
  readonly message: Message;
  /** How many messages of the visitor the history held when it was first sent; undefined if it never was. */
  readonly sentAfter: number | undefined;
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly apply: (event: ConversationEvent) => void;
}

export interface Delivered {
  readonly text: string;
  /** Milliseconds from sending to the whole answer; undefined when it was found in the history. */
  readonly latency: number | undefined;
}

/** How long to wait between looks for an answer that the service still writes, milliseconds. */
const looks = [500, 1000, 2000, 3000, 5000, 8000, 13_000, 21_000];

/**
 * Sends one message and brings its answer, exactly once: a message that may have arrived already is looked up in the
 * history first, and sent again only if it is not there. That also holds for services without idempotency keys.
 *
 * @throws {ChatError} when the message was refused, or its fate stays unknown
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { client, conversationId, message, sentAfter, signal, now, apply } = delivery;
  if (sentAfter !== undefined) {
    const history = await readHistory(delivery);
    if (holds(history, message.text, sentAfter)) return awaitAnswer(delivery, history);
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
    const hasArrived = firstAt !== undefined;
    if (!hasArrived || !(error instanceof ChatError) || !error.fateUnknown || signal.aborted) throw error;
    // The stream was cut, but it had begun: the service goes on writing, and the history will have the answer.
    return awaitAnswer(delivery, undefined);
  }
}

async function readHistory({ client, conversationId, signal }: Delivery): Promise<readonly HistoryItem[]> {
  const { history } = await client.resumeConversation(conversationId, { signal });
  return history ?? [];
}

function holds(history: readonly HistoryItem[], text: string, sentAfter: number): boolean {
  const sent = history.filter(({ role }) => role === 'user').slice(sentAfter);
  // Services may trim what they store.
  return sent.some(({ content }) => content.trim() === text.trim());
}

/** Looks for the answer with growing pauses. */
async function awaitAnswer(
  delivery: Delivery,
  found: readonly HistoryItem[] | undefined,
): Promise<Delivered> {
  const { message, signal, apply } = delivery;
  let history = found;
  for (const pause of looks) {
    if (history !== undefined) {
      const last = history.at(-1);
      if (last?.role !== 'user') {
        if (!signal.aborted) apply({ type: 'history', history, accepted: message.key });
        return { text: last?.content ?? '', latency: undefined };
      }
    }
    await sleep(pause, signal);
    history = await readHistory(delivery);
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
