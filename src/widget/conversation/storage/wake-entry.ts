import type { VisitStorage } from './visit-storage.ts';

/**
 * The storage key of an entry that makes the next page load the panel immediately. The value is a JSON object with a
 * property for each conversation with pending or unread messages, an open panel or recent activity, named as it is stored
 * (`baseUrl:assistantId:type`, plus `:userKey` if there is one; with a user token `type-verified:sub`):
 *
 *     {"https://assistants.example:b7f0…:widget": {"unread": 2, "isOpen": true}}
 *
 * `unread` is the number of unread messages. `isOpen` is set if the panel is open, or was when the visitor left a moment
 * ago. A conversation with neither has pending messages or was recently active. Without conversations there is no entry.
 */
export const wakeKey = 'voice-assistant-chat:wake';

export interface WakeEntry {
  readonly unread: number;
  readonly isOpen?: boolean | undefined;
}

/** Sets the property of a conversation; without `wake`, removes it. */
export function setWakeEntry(storage: VisitStorage, name: string, entry?: WakeEntry): void {
  const before = storage.getItem(wakeKey);
  let all: object = {};
  try {
    all = { ...(JSON.parse(before || '{}') as object) };
  } catch {
    // It is not JSON.
  }
  // JSON omits undefined properties.
  const next = JSON.stringify({ ...all, [name]: entry }).replace(/^\{\}$/, '');
  if (next !== before) storage.setItem(wakeKey, next);
}
