import type { ConversationRecord } from '../history/request-conversation.ts';
import type { HistoryItem } from '../history/merge-history.ts';
import type { Attempt } from '../storage/stored-conversation.ts';
import { fingerprint } from './fingerprint.ts';

/** A message in the service's history. */
interface Found {
  readonly record: ConversationRecord;
  /** undefined if there is no answer yet. */
  readonly answer: string | undefined;
}

/** Whether there is nothing more to wait for: the message is answered, or will not be. */
export function isSettled({ record, answer }: Found): boolean {
  return answer !== undefined || !record.aiEnabled || record.ended !== undefined;
}

/** Finds a message and its answer. */
export function findIn(record: ConversationRecord, text: string, attempt: Attempt): Found | undefined {
  const at = findSent(record.history, text, attempt);
  if (at < 0) return undefined;
  const answer = record.history.slice(at).find(({ role }) => role === 'assistant');
  return { record, answer: answer?.content };
}

/** Returns the index of a visitor's message in a history, or -1. */
export function findSent(history: readonly HistoryItem[], text: string, attempt: Attempt): number {
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
