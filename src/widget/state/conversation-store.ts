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
 * nothing and never throws: a chat that forgets is better than none.
 */
export class ConversationStore {
  readonly #storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined;
  readonly #key: string;

  constructor(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | undefined, key: string) {
    this.#storage = storage;
    this.#key = `voice-assistant-chat:conversation:${key}`;
  }

  read(): KeptConversation {
    try {
      return KeptConversation.parse(JSON.parse(this.#storage?.getItem(this.#key) ?? ''));
    } catch {
      return nothingKept;
    }
  }

  write(kept: KeptConversation): void {
    const isEmpty = kept.conversationId === undefined && kept.draft === '' && kept.pending.length === 0;
    try {
      if (isEmpty) this.#storage?.removeItem(this.#key);
      else this.#storage?.setItem(this.#key, JSON.stringify(kept));
    } catch {
      // Full or blocked.
    }
  }
}
