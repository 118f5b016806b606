import { toJson } from '../../../client/to-json.ts';
import { nothingKept, parseKept, type KeptConversation } from './kept-conversation.ts';
import { readItem, writeItem, type KeptStorage } from './kept-storage.ts';
import { setWake } from './wake-entry.ts';

/** Thirty days, milliseconds. */
export const defaultKeepFor = 30 * 24 * 3_600_000;

/**
 * Keeps one conversation over a reload, a crash and a closed tab, for as long as `keepFor` says. Where storage is
 * blocked, full or broken, it keeps nothing and never throws: a chat that forgets is better than none. Several tabs
 * may share one storage: each has a store of its own, which writes what its tab changed and leaves the rest as the
 * others wrote it. What a page must know before it loads the panel stands in an entry of its own (`wake-entry.ts`).
 */
export class ConversationStore {
  readonly #storage: KeptStorage | undefined;
  readonly #name: string;
  readonly #key: string;
  readonly #keepFor: number;
  readonly #now: () => number;
  /** What this tab read or wrote last: what differs from that, it has changed itself. */
  #known = nothingKept;
  /** The messages of this tab, also those that are settled. All others belong to other tabs. */
  readonly #ownKeys = new Set<string>();

  /**
   * @param name of the conversation among all that share the storage
   * @param keepFor milliseconds after which an untouched conversation is dropped
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

  /** Gives what is kept. From then on its pending messages are this tab's, to send and to settle, if no other tab says so. */
  read(): KeptConversation {
    const kept = this.sync();
    this.#own(kept.pending.filter(({ tab }) => !tab));
    return kept;
  }

  /** What this tab knows of. */
  get known(): KeptConversation {
    return this.#known;
  }

  /** The same; what this tab changes is told apart from it from now on. */
  sync(): KeptConversation {
    this.#known = this.stored;
    return this.#known;
  }

  /** Leaves messages to another tab. */
  disown(keys: readonly string[]): void {
    for (const key of keys) this.#ownKeys.delete(key);
  }

  /**
   * Keeps this tab's conversation, beside the pending messages of other tabs. The last one who changed a part wins.
   *
   * @returns whether anything changed
   */
  write(kept: KeptConversation): boolean {
    this.#own(kept.pending);
    const stored = this.stored;
    const others = stored.pending.filter(({ key }) => !this.#ownKeys.has(key));
    const next = { ...stored, pending: [...others, ...kept.pending] };
    for (const part of parts)
      if (JSON.stringify(kept[part]) !== JSON.stringify(this.#known[part]))
        Object.assign(next, { [part]: kept[part] });
    const { conversationId, draft, pending, toolResults, openingKey, unread = 0, isOpen } = next;
    const isWanted = pending.length > 0 || unread > 0 || isOpen;
    const isWorthIt = isWanted || conversationId !== undefined || draft || toolResults || openingKey;
    const json = isWorthIt ? toJson({ ...next, keptAt: this.#now() }) : '';
    const isNew = JSON.stringify(next) !== JSON.stringify(stored);
    // Full or blocked: it stays a change, and goes along with the next one.
    if (isNew && !writeItem(this.#storage, this.#key, json)) return false;
    this.#known = kept;
    setWake(this.#storage, this.#name, isWanted ? { unread, isOpen } : undefined);
    return isNew;
  }

  /** Wipes everything, also what other tabs have written. */
  clear(): void {
    writeItem(this.#storage, this.#key, '');
    setWake(this.#storage, this.#name);
  }

  /** What is kept now, by whichever tab. */
  get stored(): KeptConversation {
    try {
      const { keptAt = 0, ...kept } = parseKept(readItem(this.#storage, this.#key));
      if (this.#now() < keptAt + this.#keepFor) return kept;
      this.clear();
    } catch {
      // Nothing, or nothing that makes sense.
    }
    return nothingKept;
  }

  #own(pending: KeptConversation['pending']): void {
    for (const { key } of pending) this.#ownKeys.add(key);
  }
}

/** What this tab may have changed, apart from its messages. */
const parts = [
  'conversationId',
  'draft',
  'toolResults',
  'openingKey',
  'seen',
  'unread',
  'isOpen',
  'choices',
] as const;
