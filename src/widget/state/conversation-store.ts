import * as z from 'zod/mini';

/** A visitor's message that the service has not confirmed. */
const PendingMessage = z.object({
  key: z.string(),
  text: z.string(),
  /** How many messages of the visitor the history held when it was first sent; undefined if it never was. */
  sentAfter: z.optional(z.number()),
});
export type PendingMessage = z.infer<typeof PendingMessage>;

/** What a browser keeps of a conversation. The history itself stays with the service. */
const KeptConversation = z.object({
  conversationId: z.optional(z.string()),
  draft: z.catch(z.string(), ''),
  pending: z.catch(z.array(PendingMessage), []),
});
export type KeptConversation = z.infer<typeof KeptConversation>;

export const nothingKept: KeptConversation = { draft: '', pending: [] };

/**
 * Keeps one conversation over a reload, a crash and a closed tab. Where storage is blocked, full or broken, it keeps
 * nothing and never throws: a chat that forgets is better than none. Several tabs may share one storage: each has a
 * store of its own, which writes what its tab changed and leaves the rest as the others wrote it.
 */
export class ConversationStore {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined;
  readonly #key: string;
  /** What this tab read or wrote last: what differs from that, it has changed itself. */
  #known = nothingKept;
  /** The messages of this tab, also those that are settled. All others belong to other tabs. */
  readonly #ownKeys = new Set<string>();

  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined, key: string) {
    this.#storage = storage;
    this.#key = `voice-assistant-chat:conversation:${key}`;
  }

  /** Gives what is kept. From then on its pending messages are this tab's, to send and to settle. */
  read(): KeptConversation {
    this.#known = this.#stored();
    this.#own(this.#known);
    return this.#known;
  }

  /** Keeps this tab's conversation, beside the pending messages of other tabs. The last one who changed a part wins. */
  write(kept: KeptConversation): void {
    this.#own(kept);
    const stored = this.#stored();
    const { conversationId } = kept.conversationId === this.#known.conversationId ? stored : kept;
    const { draft } = kept.draft === this.#known.draft ? stored : kept;
    const pending = [...stored.pending.filter(({ key }) => !this.#ownKeys.has(key)), ...kept.pending];
    try {
      if (conversationId === undefined && draft === '' && pending.length === 0) this.clear();
      else this.#storage?.setItem(this.#key, JSON.stringify({ conversationId, draft, pending }));
      this.#known = kept;
    } catch {
      // Full or blocked: it stays a change, and goes along with the next one.
    }
  }

  /** Wipes everything, also what other tabs have written. */
  clear(): void {
    try {
      this.#storage?.removeItem(this.#key);
    } catch {
      // Blocked: then there is nothing to wipe.
    }
  }

  #stored(): KeptConversation {
    try {
      return KeptConversation.parse(JSON.parse(this.#storage?.getItem(this.#key) ?? ''));
    } catch {
      return nothingKept;
    }
  }

  #own({ pending }: KeptConversation): void {
    for (const { key } of pending) this.#ownKeys.add(key);
  }
}
