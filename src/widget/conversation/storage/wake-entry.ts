import type { VisitStorage } from './visit-storage.ts';

/**
 * The storage key of an entry that makes the next page load the panel immediately: a JSON object whose properties are the
 * names of the conversations that are a reason to. Without any there is no entry.
 */
const wakeKey = 'voice-assistant-chat:wake';

/** Adds or removes a conversation. */
export function setWakeEntry(storage: VisitStorage, name: string, isWanted: boolean): void {
  const before = storage.getItem(wakeKey);
  let all: object = {};
  try {
    all = { ...(JSON.parse(before || '{}') as object) };
  } catch {
    // It is not JSON.
  }
  // JSON omits undefined properties.
  const next = JSON.stringify({ ...all, [name]: isWanted || undefined }).replace(/^\{\}$/, '');
  if (next !== before) storage.setItem(wakeKey, next);
}
