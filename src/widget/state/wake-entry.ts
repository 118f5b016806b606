/** The part of the browser's `Storage` that is used. */
export type KeptStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

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
  readonly isOpen?: true | undefined;
}

/** Says that a conversation wants the panel at the next visit, or, without `wake`, that it does not. */
export function setWake(storage: KeptStorage, key: string, wake?: Wake): void {
  const all = wakes(storage);
  if (wake === undefined && all[key] === undefined) return;
  // JSON leaves out what is undefined.
  const next = JSON.stringify({ ...all, [key]: wake });
  if (next === '{}') storage.removeItem(wakeKey);
  else if (next !== JSON.stringify(all)) storage.setItem(wakeKey, next);
}

function wakes(storage: KeptStorage): Record<string, Wake | undefined> {
  try {
    return { ...(JSON.parse(storage.getItem(wakeKey) ?? '{}') as object) };
  } catch {
    return {};
  }
}
