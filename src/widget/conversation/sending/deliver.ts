import { ChatError } from '../../../client/chat-client.ts';
import { requestStop } from '../../../client/stop-and-delete.ts';
import { streamMessage } from '../../../client/stream-message.ts';
import { hasEnded } from '../history/request-conversation.ts';
import { isEmpty, type ConversationEvent } from '../reduce.ts';
import type { Session } from '../session.ts';
import type { Message } from '../snapshot.ts';
import { findDelivered } from './find-delivered.ts';
import { sleep } from './sleep.ts';

/** Milliseconds after which a message is sent without page tools, whose module is still loading. */
const toolsTimeout = 3000;

/** A message in flight. */
export interface Delivery {
  readonly session: Session;
  readonly conversationId: string;
  readonly message: Message;
  /** Aborts when the visitor stops the answer. */
  readonly signal: AbortSignal;
}

/** The outcome of a delivery. */
export interface Delivered {
  /** undefined if the service has the message but has not answered it. */
  readonly text: string | undefined;
  /** Milliseconds from sending to the whole answer; undefined if the answer was found in the history. */
  readonly latency?: number;
  /** Whether the assistant ended the conversation with this answer. */
  readonly isLast?: boolean | undefined;
}

/**
 * Sends a message exactly once, and waits until it is answered, late, stopped or failed. A message that may have
 * arrived already is looked up in the history first, and sent again only if it is not there. This also works with
 * services without idempotency keys.
 *
 * @param startedAt when the visitor sent it, milliseconds since 1970
 * @param stop aborts when the visitor stops the answer
 */
export async function deliver(
  session: Session,
  message: Message,
  startedAt: number,
  stop: AbortSignal,
): Promise<void> {
  const { key, text } = message;
  const { listener } = session.conversation;
  const conversationId = session.snapshot.conversationId as string;
  const delivery: Delivery = { session, conversationId, message, signal: stop };
  try {
    const delivered = await deliverOnce(delivery, startedAt).catch((error: unknown) => {
      if (session.signal.aborted || !stop.aborted) throw error;
      return endStopped({ ...delivery, signal: session.signal });
    });
    if (session.signal.aborted) return;
    if (delivered === undefined) {
      // Stopped before it arrived: its text returns to the composer.
      session.revokeAttempt(key);
      session.conversation.returnToDraft(text, true);
      session.apply({ type: 'removed', keys: [key] });
      session.apply({ type: 'settled' });
    } else if (delivered.text === undefined) {
      session.apply({ type: 'late', key });
    } else {
      session.endAttempt(key);
      session.apply({ type: 'settled' });
      if (delivered.isLast) session.apply({ type: 'ended', problem: hasEnded });
      listener.onSent(text);
      if (delivered.text) listener.onAnswer(delivered.text, delivered.latency);
    }
  } catch (error) {
    if (!session.signal.aborted) fail(session, message, error);
  }
}

async function deliverOnce(delivery: Delivery, queuedAt: number): Promise<Delivered> {
  const { session, conversationId, message, signal } = delivery;
  const { client, now } = session.environment;
  const { key } = message;
  const isRepeat = session.attemptOf(key) !== undefined;
  const delivered = isRepeat ? await findDelivered(delivery, true) : undefined;
  if (delivered !== undefined) return delivered;
  const { extras } = session.beginAttempt(key);
  const { clientTools } = session.conversation.request();
  const startedAt = isRepeat ? now() : queuedAt;
  let firstAt: number | undefined;
  const applyChunk = (event: ConversationEvent): void => {
    firstAt ??= now();
    if (!signal.aborted) session.apply(event);
  };
  try {
    const answer = await streamMessage(
      client,
      conversationId,
      message.text,
      {
        onDelta: (text) => {
          applyChunk({ type: 'delta', key, text });
        },
        onFunctionCall: (call) => {
          applyChunk({ type: 'function-call', key, call });
        },
      },
      {
        ...extras,
        clientTools: await (clientTools &&
          Promise.race([clientTools, sleep(toolsTimeout, signal).then(() => undefined)])),
        signal,
        idempotencyKey: key,
      },
    );
    const { ai_enabled, ended } = answer;
    // During a handoff a person answers later. An empty answer of the assistant is an error.
    if (isEmpty(answer) && !ended && (ai_enabled ?? session.snapshot.aiEnabled))
      throw new ChatError('bad-response', 'The service sent an empty answer.');
    const at = now();
    const latency = at - startedAt;
    const timing = { first: (firstAt ?? at) - startedAt, total: latency };
    if (!signal.aborted) session.apply({ type: 'answered', key, answer, at, timing });
    return { text: answer.message, latency, isLast: ended };
  } catch (error) {
    if (signal.aborted || !(error instanceof ChatError)) throw error;
    if (!error.outcomeUnknown) session.revokeAttempt(key);
    else if (firstAt !== undefined || error.code === 'timeout') {
      // The stream broke or timed out. The service may still be writing, and the history will contain the answer.
      session.renewAttempt(key);
      const found = await findDelivered(delivery, firstAt !== undefined);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/**
 * Asks the service to stop the reply. Resolves with undefined if the message was stopped before it arrived.
 *
 * @throws {ChatError} if the history cannot be read
 */
async function endStopped(delivery: Delivery): Promise<Delivered | undefined> {
  const { session, conversationId, message } = delivery;
  const { key } = message;
  const end = (): void => {
    session.apply({ type: 'stopped', key, at: session.environment.now() });
  };
  const hasBegun = session.snapshot.messages.some((shown) => shown.key === key && shown.status === 'sent');
  const requested = requestStop(session.environment.client, conversationId).catch(() => undefined);
  if (hasBegun) end();
  // The next message must not overtake this request.
  await requested;
  if (hasBegun) return { text: '' };
  const found = await findDelivered(delivery, false);
  if (found && found.text === undefined) end();
  return found && { text: '' };
}

function fail(session: Session, { key, text }: Message, error: unknown): void {
  const { conversation } = session;
  const problem = session.problemFrom(error);
  const { code } = problem;
  const outcomeUnknown = session.attemptOf(key) !== undefined;
  session.renewAttempt(key);
  // Refused for its content: its text returns to the composer, and later visits do not send it again.
  if (code === 'invalid-request' && !outcomeUnknown) conversation.returnToDraft(text, false);
  session.apply({ type: 'send-failed', key, problem, outcomeUnknown });
  if (code === 'conversation-ended') {
    session.apply({ type: 'requeued', key });
    session.apply({ type: 'ended', problem });
  }
  if (code === 'conversation-not-found') session.fail(problem);
  else conversation.listener.onProblem(problem);
  conversation.retryAt(problem.retryAt);
}
