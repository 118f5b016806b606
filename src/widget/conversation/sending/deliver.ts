import { ChatError, type ConversationClient } from '../../../client/chat-client.ts';
import { streamMessage } from '../../../client/stream-message.ts';
import type { Attempt } from '../storage/kept-conversation.ts';
import type { ConversationEvent } from '../reduce.ts';
import { completeReply, growReply, isEmpty, type ReplyPiece } from './reply.ts';
import type { SessionRequest } from '../history/session.ts';
import type { Message, Snapshot } from '../snapshot.ts';

/** One message on its way. */
export interface Delivery {
  readonly client: ConversationClient;
  readonly conversationId: string;
  readonly message: Message;
  readonly attempt: Attempt;
  /** Whether it was sent before, and nobody knows what became of it. */
  readonly isRepeat: boolean;
  /** When it was asked for, milliseconds since 1970. */
  readonly startedAt: number;
  readonly clientTools: SessionRequest['clientTools'];
  readonly signal: AbortSignal;
  readonly now: () => number;
  readonly snapshot: () => Snapshot;
  readonly apply: (event: ConversationEvent) => void;
  /** Called when it is about to be sent once more. */
  readonly onAnew: () => void;
  /** Called when it is certain that the service did not keep the message. */
  readonly onRefused: () => void;
}

export interface Delivered {
  /** undefined while the service, which has the message, has not answered it. */
  readonly text: string | undefined;
  /** Milliseconds from sending to the whole answer; undefined when it was found in the history. */
  readonly latency?: number;
  /** Whether the assistant has ended the conversation with it. */
  readonly isLast?: boolean | undefined;
}

/**
 * Sends one message and brings its answer, exactly once: a message that may have arrived already is looked up in the
 * history first, and sent again only if it is not there. That also holds for services without idempotency keys.
 *
 * @throws {ChatError} when the message was refused, or its fate stays unknown
 */
export async function deliver(delivery: Delivery): Promise<Delivered> {
  const { client, conversationId, message, attempt, isRepeat, signal, now, snapshot, apply } = delivery;
  if (isRepeat) {
    const found = await find(delivery, true);
    if (found !== undefined) return found;
    delivery.onAnew();
  }

  const startedAt = isRepeat ? now() : delivery.startedAt;
  let firstAt: number | undefined;
  const { key } = message;
  const grow = (piece: ReplyPiece): void => {
    firstAt ??= now();
    if (signal.aborted) return;
    apply({ type: 'reply', messages: growReply(snapshot().messages, piece), isPiece: true });
  };
  try {
    const answer = await streamMessage(
      client,
      conversationId,
      message.text,
      {
        onDelta: (text) => {
          grow({ type: 'delta', key, text });
        },
        onFunctionCall: (call) => {
          grow({ type: 'function-call', key, call });
        },
      },
      { ...attempt.luggage, clientTools: await delivery.clientTools, signal, idempotencyKey: key },
    );
    const { ai_enabled, ended } = answer;
    // A person who took over answers later. An assistant that says nothing leaves the visitor with nothing.
    if (isEmpty(answer) && !ended && (ai_enabled ?? snapshot().aiEnabled))
      throw new ChatError('bad-response', 'The service sent an empty answer.');
    const at = now();
    const latency = at - startedAt;
    const timing = { first: (firstAt ?? at) - startedAt, total: latency };
    if (!signal.aborted) {
      const messages = completeReply(snapshot().messages, { key, answer, at, timing });
      apply({ type: 'reply', messages, isPiece: false, aiEnabled: ai_enabled });
    }
    return { text: answer.message, latency, isLast: ended };
  } catch (error) {
    if (signal.aborted || !(error instanceof ChatError)) throw error;
    if (!error.fateUnknown) delivery.onRefused();
    else if (firstAt !== undefined || error.code === 'timeout') {
      // The stream was cut, but it had begun: the service goes on writing, and the history will have the answer.
      const found = await find({ ...delivery, attempt: { ...attempt, at: now() } }, firstAt !== undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

async function find(delivery: Delivery, waits: boolean): Promise<Delivered | undefined> {
  const { findDelivered } = await import('./look-up.ts').catch((cause: unknown) => {
    throw new ChatError('network', 'A part of the chat could not be loaded.', { cause });
  });
  return findDelivered(delivery, waits);
}
