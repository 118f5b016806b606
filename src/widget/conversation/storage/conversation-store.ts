import { toJson } from '../../../client/to-json.ts';
import { nothingKept, parseKept, type KeptConversation } from './kept-conversation.ts';
import { readItem, writeItem, type KeptStorage } from './kept-storage.ts';
import { setWake } from './wake-entry.ts';

/** Thirty days, milliseconds. */
export const defaultKeepFor = 30 * 24 * 3_600_000;

/**
 * Stores one conversation, so that it survives a reload, a crash and a closed tab. Never throws: if storage is blocked
 * or full, nothing is stored. Several tabs may share one storage: each writes only what it has changed. A separate entry
 * tells the next page whether to load the panel (`wake-entry.ts`).
 */
export class ConversationStore {
  readonly #storage: KeptStorage | undefined;
  readonly #name: string;
  readonly #key: string;
  readonly #keepFor: number;
  readonly #now: () => number;
  /** The state that this tab read or wrote last; differences from it are this tab's changes. */
  #known = nothingKept;
  /** Keys of this tab's messages, settled ones included. All others belong to other tabs. */
  readonly #ownKeys = new Set<string>();

  /**
   * @param name identifies the conversation within the storage
   * @param keepFor milliseconds until an unused stored conversation expires
   */
  constructor(
    storage: KeptStorage | undefined,
    name: string,
    keepFor = defaultKeepFor,
    now: () => number = Date.now,
  ) {
    this.#storage = storage;
    this.#name = name;
    this.#key = `voice-assistant-chat:conversation:${name}`;
    this.#keepFor = keepFor;
    this.#now = now;
  }

  /** Reads the stored conversation. This tab takes over its pending messages, except those of other tabs. */
  read(): KeptConversation {
    const kept = this.sync();
    this.#own(kept.pending.filter(({ tab }) => !tab));
    return kept;
  }

  /** The state that this tab read or wrote last. */
  get known(): KeptConversation {
    return this.#known;
  }

  /** Reads the stored conversation, as the new base of this tab's changes. */
  sync(): KeptConversation {
    this.#known = this.stored;
    return this.#known;
  }

  /** Leaves messages to another tab. */
  disown(keys: readonly string[]): void {
    for (const key of keys) this.#ownKeys.delete(key);
  }

  /**
   * Stores this tab's changes and keeps the pending messages of other tabs. The last change of a field wins.
   *
   * @returns whether anything changed
   */
  write(kept: KeptConversation): boolean {
    this.#own(kept.pending);
    const stored = this.stored;
    const others = stored.pending.filter(({ key }) => !this.#ownKeys.has(key));
    const next = { ...stored, pending: [...others, ...kept.pending] };
    for (const field of fields)
      if (JSON.stringify(kept[field]) !== JSON.stringify(this.#known[field]))
        Object.assign(next, { [field]: kept[field] });
    const { conversationId, draft, pending, toolResults, openingKey, unread = 0, isOpen } = next;
    const isWanted = pending.length > 0 || unread > 0 || isOpen;
    const isWorthStoring = isWanted || conversationId !== undefined || draft || toolResults || openingKey;
    const json = isWorthStoring ? toJson({ ...next, keptAt: this.#now() }) : '';
    const isNew = JSON.stringify(next) !== JSON.stringify(stored);
    // Storage is full or blocked: the next write tries again.
    if (isNew && !writeItem(this.#storage, this.#key, json)) return false;
    this.#known = kept;
    setWake(this.#storage, this.#name, isWanted ? { unread, isOpen } : undefined);
    return isNew;
  }

  /** Deletes the conversation, other tabs' messages included. */
  clear(): void {
    writeItem(this.#storage, this.#key, '');
    setWake(this.#storage, this.#name);
  }

  /** The conversation as it is stored now, by any tab. */
  get stored(): KeptConversation {
    try {
      const { keptAt = 0, ...kept } = parseKept(readItem(this.#storage, this.#key));
      if (this.#now() < keptAt + this.#keepFor) return kept;
      this.clear();
    } catch {
      // Nothing is stored, or it is not JSON.
    }
    return nothingKept;
  }

  #own(pending: KeptConversation['pending']): void {
    for (const { key } of pending) this.#ownKeys.add(key);
  }
}

/** The fields that a tab may change, apart from its messages. */
const fields = [
  'conversationId',
  'draft',
  'toolResults',
  'openingKey',
  'seen',
  'unread',
  'isOpen',
  'choices',
] as const;
