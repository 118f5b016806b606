import { readItem, writeItem, type KeptStorage } from './kept-storage.ts';

/**
 * Where a page finds out, before it loads the panel, that it should load it unasked. The value is a JSON object with
 * one property for every conversation that has something to do or to show, named as the conversation is kept
 * (`baseUrl:assistantId:type`, and `:userKey` where there is one):
 *
 *     {"https://assistants.example:b7f0…:widget": {"unread": 2, "isOpen": true}}
 *
 * `unread` counts the messages that nobody has read. `isOpen` is there if the panel was open. A conversation with
 * neither has messages to deliver. Without conversations there is no entry.
 */
export const wakeKey = 'voice-assistant-chat:wake';

export interface Wake {
  readonly unread: number;
  readonly isOpen?: boolean | undefined;
}

/** Says that a conversation wants the panel at the next visit, or, without `wake`, that it does not. */
export function setWake(storage: KeptStorage | undefined, name: string, wake?: Wake): void {
  const before = readItem(storage, wakeKey);
  let all: object = {};
  try {
    all = { ...(JSON.parse(before) as object) };
  } catch {
    // None, or nothing that makes sense.
  }
  // JSON leaves out what is undefined.
  const next = JSON.stringify({ ...all, [name]: wake }).replace(/^\{\}$/, '');
  if (next !== before) writeItem(storage, wakeKey, next);
}
