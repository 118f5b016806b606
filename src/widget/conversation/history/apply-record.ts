import { findIn, findSent, isSettled } from '../sending/find-in-history.ts';
import type { Session } from '../session.ts';
import type { ConversationRecord } from './request-conversation.ts';

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
