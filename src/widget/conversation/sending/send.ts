import { deliver, type Delivery } from './deliver.ts';
import { fingerprint } from './fingerprint.ts';
import type { Attempt } from '../storage/kept-conversation.ts';
import type { Outbox } from './outbox.ts';
import { problemFrom } from '../problem.ts';
import { hasEnded, variablesOf } from '../history/session.ts';
import type { Message } from '../snapshot.ts';

/*
 * Sends one message of the outbox. Loaded with the first one.
 */

/** How many of a visitor's messages are remembered by their fingerprint, to find a place in the end of a long history. */
const rememberedPrints = 8;

/**
 * Sends a message and brings it to one of its ends: answered, late, stopped or failed.
 *
 * @param startedAt when the visitor sent it, milliseconds since 1970
 * @param life of the conversation: once it is over, nothing more happens
 * @param stop the visitor wants no more of the answer
 */
export async function send(
  outbox: Outbox,
  message: Message,
  startedAt: number,
  life: AbortSignal,
  stop: AbortSignal,
): Promise<void> {
  const { attempts, listener } = outbox;
  const { client, now } = outbox.world;
  const { apply, snapshot, request, putBack } = outbox.conversation;
  const { key, text } = message;
  const known = attempts.get(key);
  const attempt = known ?? begin(outbox);
  // Written down before it is sent: a page may go away at any moment.
  attempts.set(key, attempt);
  apply({ type: 'sending', key });
  const delivery: Delivery = {
    client,
    conversationId: snapshot().conversationId as string,
    message,
    attempt,
    isRepeat: known !== undefined,
    startedAt,
    clientTools: request().clientTools,
    signal: stop,
    now,
    snapshot,
    apply,
    onAnew: () => {
      attempts.set(key, { ...attempt, at: now() });
      apply({ type: 'sending', key });
    },
    onRefused: () => {
      unpack(outbox, key, attempt);
    },
  };
  try {
    const delivered = await deliver(delivery).catch(async (error: unknown) => {
      if (life.aborted || !stop.aborted) throw error;
      const { endStopped } = await import('./stopped.ts');
      return endStopped({ ...delivery, signal: life });
    });
    if (life.aborted) return;
    if (delivered === undefined) {
      // Stopped before it arrived: it is the visitor's again.
      unpack(outbox, key, attempt);
      putBack(text, true);
      apply({ type: 'taken-back', key });
      apply({ type: 'settled' });
    } else if (delivered.text === undefined) {
      apply({ type: 'late', key });
    } else {
      attempts.delete(key);
      apply({ type: 'settled' });
      if (delivered.isLast) apply({ type: 'ended', problem: hasEnded });
      listener.onSent(text);
      if (delivered.text) listener.onAnswer(delivered.text, delivered.latency);
    }
  } catch (error) {
    if (!life.aborted) fail(outbox, message, error);
  }
}

/** What goes with a message stays with it: the same key stands for the same request. */
function begin(outbox: Outbox): Attempt {
  const { snapshot, request } = outbox.conversation;
  const sent = snapshot().messages.filter(({ role, status }) => role === 'user' && status === 'sent');
  const variables = variablesOf(request());
  const json = JSON.stringify(variables);
  const luggage = { ...outbox.luggage, ...(json !== outbox.told && { variables }) };
  outbox.told = json;
  outbox.luggage = undefined;
  return {
    sentAfter: sent.length,
    prints: sent.slice(-rememberedPrints).map(({ text }) => fingerprint(text.trim())),
    at: outbox.world.now(),
    luggage,
  };
}

/** The service did not take the message in: what went with it goes with the next one. */
function unpack(outbox: Outbox, key: string, { luggage }: Attempt): void {
  outbox.attempts.delete(key);
  outbox.told = undefined;
  const results = [...(luggage?.toolResults ?? []), ...(outbox.luggage?.toolResults ?? [])];
  outbox.luggage = undefined;
  if (results.length > 0) outbox.addToolResult(...results);
}

function fail(
  { attempts, conversation, listener, world }: Outbox,
  { key, text }: Message,
  error: unknown,
): void {
  const { apply } = conversation;
  const problem = problemFrom(error, world.now(), world.isOnline());
  const { code } = problem;
  const attempt = attempts.get(key);
  const fateUnknown = attempt !== undefined;
  if (fateUnknown) attempts.set(key, { ...attempt, at: world.now() });
  // Refused for what it says: the visitor can change it, and a new visit does not send it again.
  if (code === 'invalid-request' && !fateUnknown) conversation.putBack(text, false);
  apply({ type: 'send-failed', key, problem, fateUnknown });
  if (code === 'conversation-ended') {
    apply({ type: 'requeued', key });
    apply({ type: 'ended', problem });
  }
  if (code === 'conversation-not-found') conversation.fail(problem);
  else listener.onProblem(problem);
  conversation.retryAt(problem.retryAt);
}
