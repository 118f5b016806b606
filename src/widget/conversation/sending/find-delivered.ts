import { readConversation, type ConversationRecord } from '../history/conversation-record.ts';
import type { HistoryItem } from '../history/merge-history.ts';
import type { Session } from '../session.ts';
import type { Attempt } from '../storage/stored-conversation.ts';
import type { Delivered, Delivery } from './deliver.ts';
import { fingerprint } from './fingerprint.ts';
import { sleep } from './sleep.ts';

/** Pauses between two requests while the service is still writing the answer, in milliseconds. */
const pauses = [500, 1000, 2000, 3000, 5000, 8000, 13_000, 21_000];

/** Milliseconds that a sent request may take to reach the service. */
const maxTransit = 2000;

/** A message in the service's history. */
interface Found {
  readonly record: ConversationRecord;
  /** undefined if there is no answer yet. */
  readonly answer: string | undefined;
}

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

/** Whether there is nothing more to wait for: the message is answered, or will not be. */
function isSettled({ record, answer }: Found): boolean {
  return answer !== undefined || !record.aiEnabled || record.ended !== undefined;
}

/** Finds a message and its answer. */
function findIn(record: ConversationRecord, text: string, attempt: Attempt): Found | undefined {
  const at = findSent(record.history, text, attempt);
  if (at < 0) return undefined;
  const answer = record.history.slice(at).find(({ role }) => role === 'assistant');
  return { record, answer: answer?.content };
}

/**
 * Shows a record of the conversation that no delivery has asked for. Messages that it contains have arrived, also those
 * whose delivery failed with an unknown outcome.
 *
 * @param onAnswer called with each answer that was not shown before
 * @returns whether others have written
 */
export function applyRecord(
  session: Session,
  record: ConversationRecord,
  onAnswer: (text: string, latency: undefined) => void,
): boolean {
  const { listener } = session.conversation;
  const known = new Set(session.snapshot.messages.map(({ key }) => key));
  for (const { key, text, status, attempt } of session.unconfirmed) {
    const found = findIn(record, text, attempt);
    if (found) {
      session.apply({ type: 'late', key });
      if (!isSettled(found)) continue;
      session.endAttempt(key);
      listener.onSent(text);
    } else if (status === 'sent') {
      const problem = { code: 'engine-failed', message: 'The service could not answer.' } as const;
      session.endAttempt(key);
      session.apply({ type: 'send-failed', key, problem, outcomeUnknown: false });
      listener.onProblem(problem);
    }
  }
  session.apply({ type: 'history', record });
  const news = session.snapshot.messages.filter(({ key, role }) => !known.has(key) && role !== 'user');
  for (const { role, text } of news) if (role === 'assistant') onAnswer(text, undefined);
  // Messages that waited for one of these.
  void session.sendPending();
  return news.length > 0;
}

/**
 * Cuts the history before a message that is still pending, because its delivery will look for the answer. If the
 * conversation has ended, nothing is delivered: messages that arrived are removed from the outbox instead.
 */
export function withoutPending(session: Session, record: ConversationRecord): ConversationRecord {
  for (const { key, text } of session.snapshot.messages) {
    const attempt = session.attemptOf(key);
    const at = attempt ? findSent(record.history, text, attempt) : -1;
    if (at < 0) continue;
    if (!record.ended) return { ...record, history: record.history.slice(0, at) };
    session.endAttempt(key);
    session.apply({ type: 'removed', keys: [key] });
  }
  return record;
}

/** Returns the index of a visitor's message in a history, or -1. */
function findSent(history: readonly HistoryItem[], text: string, attempt: Attempt): number {
  // Services may trim the texts that they store.
  const own = history.flatMap(({ role, content }, at) =>
    role === 'user' ? { at, text: content.trim() } : [],
  );
  const start = countBefore(
    own.map(({ text }) => fingerprint(text)),
    attempt,
  );
  return own.slice(start).find((message) => message.text === text.trim())?.at ?? -1;
}

/** Counts the visitor's messages in a history that were sent before the attempt, by their fingerprints. */
function countBefore(prints: readonly string[], { sentAfter, prints: last }: Attempt): number {
  const endsAt = (end: number): boolean =>
    last.every((print, index) => {
      const at = end - last.length + index;
      return at < 0 || prints[at] === print;
    });
  if (sentAfter <= prints.length && endsAt(sentAfter)) return sentAfter;
  // The service returned only the end of its history: the fingerprints show where the attempt was.
  for (let end = prints.length; end > 0; end--) if (endsAt(end)) return end;
  return sentAfter;
}
