import { toJson } from '../../../client/to-json.ts';
import { nothingStored, parseStored, type StoredConversation } from './stored-conversation.ts';
import type { VisitStorage } from './visit-storage.ts';
import { setWakeEntry } from './wake-entry.ts';

/** Thirty days, milliseconds. */
const defaultKeepFor = 30 * 24 * 3_600_000;

/** Begins the storage key of every conversation. */
export const conversationKeyPrefix = 'voice-assistant-chat:conversation:';

/** Stored for a moment by `forget()`: other tabs cannot tell from the removal alone that it was no restart. */
export const forgotten = 'forgotten';

/**
 * Stores one conversation, so that it survives a reload, a crash and a closed tab. Several tabs may share one storage:
 * each writes only what it has changed. A separate entry says whether the next page loads the panel (`wake-entry.ts`).
 */
export class ConversationStore {
  readonly #storage: VisitStorage;
  /** Identifies the conversation within the storage: its service, assistant and visitor. */
  readonly name: string;
  /** The key of its entry. */
  readonly key: string;
  readonly #keepFor: number;
  readonly #now: () => number;
  /** The state that this tab read or wrote last; differences from it are this tab's changes. */
  #known = nothingStored;
  /** Keys of this tab's messages, including delivered ones. All others belong to other tabs. */
  readonly #ownKeys = new Set<string>();

  /**
   * @param keepFor milliseconds until an unused stored conversation expires
   */
  constructor(storage: VisitStorage, name: string, keepFor = defaultKeepFor, now: () => number = Date.now) {
    this.#storage = storage;
    this.name = name;
    this.key = conversationKeyPrefix + name;
    this.#keepFor = keepFor;
    this.#now = now;
  }

  /** Reads the stored conversation. This tab claims its pending messages, except those of other tabs. */
  read(): StoredConversation {
    this.sync();
    const stored = this.#known;
    this.#own(stored.pending.filter(({ tab }) => !tab));
    // The reason to load the panel may have passed.
    this.#setWakeEntry(stored);
    return stored;
  }

  /** The state that this tab read or wrote last. */
  get known(): StoredConversation {
    return this.#known;
  }

  /**
   * Reads the stored conversation, as the new base of this tab's changes.
   *
   * @returns the keys of the pending messages that another tab has erased
   */
  sync(): ReadonlySet<string> {
    const { stored } = this;
    const erased = this.#erasedKeys(stored);
    this.#known = stored;
    return erased;
  }

  /** The keys of the pending messages that another tab has erased since this tab read or wrote the state. */
  #erasedKeys(stored: StoredConversation): ReadonlySet<string> {
    const left = new Set(stored.pending.map(({ key }) => key));
    return new Set(this.#known.pending.flatMap(({ key }) => (left.has(key) ? [] : key)));
  }

  /** Lets other tabs claim messages. */
  releaseMessages(keys: readonly string[]): void {
    for (const key of keys) this.#ownKeys.delete(key);
  }

  /**
   * Stores this tab's changes and keeps the pending messages of other tabs. If several tabs change a field, the last
   * write wins. Fields that `state` does not have stay as they are.
   *
   * @returns whether anything changed
   */
  write(state: StoredConversation): boolean {
    this.#own(state.pending);
    const stored = this.stored;
    const others = stored.pending.filter(({ key }) => !this.#ownKeys.has(key));
    const erased = this.#erasedKeys(stored);
    const own = state.pending.filter(({ key }) => !erased.has(key));
    const next = { ...stored };
    for (const field of Object.keys(state) as (keyof StoredConversation)[])
      if (JSON.stringify(state[field]) !== JSON.stringify(this.#known[field]))
        Object.assign(next, { [field]: state[field] });
    Object.assign(next, { pending: [...others, ...own] });
    const { conversationId, draft, pending, toolResults, openingKey, unread, isOpen } = next;
    const isWorthStoring =
      pending.length > 0 || unread || isOpen || conversationId || draft || toolResults || openingKey;
    const json = isWorthStoring ? toJson({ ...next, keptAt: this.#now() }) : '';
    const isNew = JSON.stringify(next) !== JSON.stringify(stored);
    if (isNew) this.#storage.setItem(this.key, json);
    this.#known = state;
    this.#setWakeEntry(next);
    return isNew;
  }

  /** Deletes the conversation, other tabs' messages included. The next write stores everything. */
  clear(): void {
    this.#known = nothingStored;
    this.#storage.removeItem(this.key);
    setWakeEntry(this.#storage, this.name, false);
  }

  /** Deletes the conversation as `clear` does. Other tabs learn that the visitor is forgotten. */
  forget(): void {
    this.#storage.setItem(this.key, forgotten);
    this.clear();
  }

  /** The conversation as it is stored now, by any tab. */
  get stored(): StoredConversation {
    const json = this.#storage.getItem(this.key);
    // Not left to the parser: an exception costs a slow device several milliseconds, and most visits start with nothing.
    if (!json) return nothingStored;
    try {
      const { keptAt = 0, ...stored } = parseStored(json);
      if (this.#now() < keptAt + this.#keepFor) return stored;
      this.clear();
    } catch {
      // It is not JSON.
    }
    return nothingStored;
  }

  #setWakeEntry({ conversationId, pending, unread = 0, isOpen, followUntil = 0 }: StoredConversation): void {
    const isRecent = (isOpen || conversationId !== undefined) && this.#now() < followUntil;
    setWakeEntry(this.#storage, this.name, pending.length > 0 || unread > 0 || isRecent);
  }

  #own(pending: StoredConversation['pending']): void {
    for (const { key } of pending) this.#ownKeys.add(key);
  }
}
