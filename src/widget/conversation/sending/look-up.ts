import type { Attempt } from '../storage/kept-conversation.ts';
import type { Delivered, Delivery } from './deliver.ts';
import { fingerprint } from './fingerprint.ts';
import type { HistoryItem } from '../history/with-history.ts';
import type { ConversationEvent } from '../reduce.ts';
import { readSession, type Session } from '../history/session.ts';
import { sleep } from './sleep.ts';
import type { Message } from '../snapshot.ts';
import { withHistory } from '../history/with-history.ts';

export { withHistory };

/*
 * What became of a message whose fate is unknown. Loaded when that first happens.
 */

/** How long to wait between looks for an answer that the service still writes, milliseconds. */
const looks = [500, 1000, 2000, 3000, 5000, 8000, 13_000, 21_000];

/** For how long after it was sent a message may still be on its way, milliseconds. */
const transit = 2000;

/** A message that the service has. */
interface Found {
  readonly session: Session;
  /** undefined while nobody has answered. */
  readonly answer: string | undefined;
}

/**
 * Looks for a message and its answer in the history, with growing pauses; undefined if the message is not there, which
 * is also what becomes of one whose answer failed.
 *
 * @param waits whether to wait for the answer of a message that is there
 */
export async function findDelivered(delivery: Delivery, waits: boolean): Promise<Delivered | undefined> {
  const { client, conversationId, message, attempt, signal, now, apply, snapshot } = delivery;
  // A page that is loaded anew is faster than a request that is stuck on its way.
  const patience = Math.min(transit, attempt.at + transit - now());
  let waited = 0;
  for (const pause of looks) {
    const session = await readSession(client, conversationId, signal);
    const found = foundIn(session, message.text, attempt);
    if (found === undefined && waited >= patience) return undefined;
    if (found && isSettled(found)) {
      const others = snapshot().messages.filter(({ key }) => key !== message.key);
      apply({ type: 'history', session, messages: withHistory(others, session.history) });
      return { text: found.answer ?? '' };
    }
    if (found && !waits) break;
    await sleep(pause, signal);
    waited += pause;
  }
  return { text: undefined };
}

/** Whether there is nothing more to wait for: an answer is there, or none will be written. */
export function isSettled({ session, answer }: Found): boolean {
  return answer !== undefined || !session.aiEnabled || session.ended !== undefined;
}

/** A message and its answer, as far as a history has them. */
export function foundIn(session: Session, text: string, attempt: Attempt): Found | undefined {
  const at = findSent(session.history, text, attempt);
  if (at < 0) return undefined;
  const answer = session.history.slice(at).find(({ role }) => role === 'assistant');
  return { session, answer: answer?.content };
}

/**
 * The history up to the message whose answer is still looked for: that one shows as pending. In a conversation that
 * has ended nobody looks any more: there the messages that arrived are no longer pending, and the history is whole.
 */
export function withoutSought(
  session: Session,
  messages: readonly Message[],
  attempts: Map<string, Attempt>,
  apply: (event: ConversationEvent) => void,
): Session {
  for (const { key, text } of messages) {
    const attempt = attempts.get(key);
    const at = attempt ? findSent(session.history, text, attempt) : -1;
    if (at < 0) continue;
    if (!session.ended) return { ...session, history: session.history.slice(0, at) };
    attempts.delete(key);
    apply({ type: 'taken-back', key });
  }
  return session;
}

/** Where a history holds a message of the visitor's, or -1. */
export function findSent(history: readonly HistoryItem[], text: string, attempt: Attempt): number {
  // Services may trim what they store.
  const own = history.flatMap(({ role, content }, at) =>
    role === 'user' ? { at, text: content.trim() } : [],
  );
  const start = countBefore(
    own.map(({ text }) => fingerprint(text)),
    attempt,
  );
  return own.slice(start).find((message) => message.text === text.trim())?.at ?? -1;
}

/** How many of the visitor's messages in a history were there before, going by their fingerprints. */
function countBefore(prints: readonly string[], { sentAfter, prints: last }: Attempt): number {
  const endsAt = (end: number): boolean =>
    last.every((print, index) => {
      const at = end - last.length + index;
      return at < 0 || prints[at] === print;
    });
  if (sentAfter <= prints.length && endsAt(sentAfter)) return sentAfter;
  // The service gives no more than the end of its history: what was there before is told by what it says.
  for (let end = prints.length; end > 0; end--) if (endsAt(end)) return end;
  return sentAfter;
}
