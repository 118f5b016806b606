import type { Attempt } from './conversation-store.ts';
import type { Delivery } from './deliver.ts';
import { readSession, type Session } from './session.ts';
import { sleep } from './sleep.ts';
import type { Message } from './snapshot.ts';
import type { HistoryItem } from './with-history.ts';

/*
 * What became of a message whose fate is unknown. Loaded when that first happens.
 */

/** How long to wait between looks for an answer that the service still writes, milliseconds. */
const looks = [500, 1000, 2000, 3000, 5000, 8000, 13_000, 21_000];

/** A message that the service has. */
export interface Found {
  readonly session: Session;
  /** undefined while nobody has answered. */
  readonly answer: string | undefined;
}

/**
 * Looks for a message and its answer in the history, with growing pauses. Gives undefined if the message is not there,
 * which is also what becomes of one whose answer failed.
 *
 * @param patience how long the message itself may need to show up, milliseconds
 * @param waits whether to wait for the answer of one that is there
 */
export async function lookUp(
  { client, conversationId, message, attempt, signal }: Delivery,
  patience: number,
  waits: boolean,
): Promise<Found | undefined> {
  let found: Found | undefined;
  let waited = 0;
  for (const pause of looks) {
    const session = await readSession(client, conversationId, signal);
    found = foundIn(session, message.text, attempt);
    if (found === undefined ? waited >= patience : isSettled(found) || !waits) return found;
    await sleep(pause, signal);
    waited += pause;
  }
  return found;
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
 * has ended nobody looks any more: there the messages that arrived are told by their keys, and the history is whole.
 */
export function withoutSought(
  session: Session,
  messages: readonly Message[],
  attempts: ReadonlyMap<string, Attempt>,
): { readonly session: Session; readonly arrived: readonly string[] } {
  const arrived: string[] = [];
  for (const { key, text } of messages) {
    const attempt = attempts.get(key);
    const at = attempt ? findSent(session.history, text, attempt) : -1;
    if (at < 0) continue;
    if (!session.ended) return { session: { ...session, history: session.history.slice(0, at) }, arrived };
    arrived.push(key);
  }
  return { session, arrived };
}

/** Where a history holds a message of the visitor's, or -1. */
export function findSent(history: readonly HistoryItem[], text: string, attempt: Attempt): number {
  const own = history.flatMap(({ role, content }, at) =>
    role === 'user' ? { at, text: content.trim() } : [],
  );
  const start = countBefore(
    own.map(({ text }) => text.length),
    attempt,
  );
  // Services may trim what they store.
  return own.slice(start).find((message) => message.text === text.trim())?.at ?? -1;
}

/** How many of the visitor's messages in a history were there before, going by how long they are. */
function countBefore(lengths: readonly number[], { sentAfter, lengths: last }: Attempt): number {
  const endsAt = (end: number): boolean =>
    last.every((length, index) => {
      const at = end - last.length + index;
      return at < 0 || lengths[at] === length;
    });
  if (sentAfter <= lengths.length && endsAt(sentAfter)) return sentAfter;
  // The service gives no more than the end of its history: the messages before are found by how long they are.
  for (let end = lengths.length; end > 0; end--) if (endsAt(end)) return end;
  return sentAfter;
}
