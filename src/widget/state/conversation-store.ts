import * as z from 'zod/mini';
import type { ToolResult } from '../../client/chat-client.ts';
import { setWake, type KeptStorage } from './wake-entry.ts';

const ToolResults = z.optional(z.array(z.looseObject({ name: z.string(), arguments: z.looseObject({}) })));

/** What was true when a message was first sent: by that it is looked up, and sent the same way again. */
const Attempt = z.object({
  /** How many messages of the visitor the history held. */
  sentAfter: z.number(),
  /** How long the last of them were, characters: a service may give no more than the end of its history. */
  lengths: z.array(z.number()),
  /** Milliseconds since 1970. */
  at: z.number(),
  variables: z.optional(z.looseObject({})),
  toolResults: ToolResults,
});
export type Attempt = z.infer<typeof Attempt> & { readonly toolResults?: readonly ToolResult[] | undefined };

/** A visitor's message that the service has not confirmed. */
const PendingMessage = z.object({
  key: z.string(),
  text: z.string(),
  /** When it was written, milliseconds since 1970. */
  at: z.number(),
  /** Absent while it was never sent, and where the service refused it. */
  attempt: z.optional(Attempt),
});
export type PendingMessage = z.infer<typeof PendingMessage>;

/** What a browser keeps of a conversation. The history itself stays with the service. */
const KeptConversation = z.object({
  conversationId: z.optional(z.string()),
  draft: z.catch(z.string(), ''),
  pending: z.catch(z.array(PendingMessage), []),
  /** What functions of the page returned; goes with the next message. */
  toolResults: ToolResults,
  /** How many messages there were that the visitor did not write, and how many of them were seen. */
  heard: z.optional(z.number()),
  seen: z.optional(z.number()),
  isOpen: z.optional(z.literal(true)),
  /** When it was kept last, milliseconds since 1970. */
  keptAt: z.optional(z.number()),
});
export type KeptConversation = Omit<z.infer<typeof KeptConversation>, 'keptAt'>;

export const nothingKept: KeptConversation = { draft: '', pending: [] };

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
    const next = {
      ...stored,
      pending: [...stored.pending.filter(({ key }) => !this.#ownKeys.has(key)), ...kept.pending],
    };
    for (const part of parts)
      if (kept[part] !== this.#known[part]) Object.assign(next, { [part]: kept[part] });
    try {
      const { conversationId, draft, pending, toolResults, heard = 0, seen = 0, isOpen } = next;
      const unread = Math.max(0, heard - seen);
      if (conversationId ?? (draft || toolResults || pending.length > 0 || isOpen))
        this.#storage?.setItem(this.#key, JSON.stringify({ ...next, keptAt: this.#now() }));
      else this.clear();
      const isWanted = pending.length > 0 || unread > 0 || isOpen;
      if (this.#storage) setWake(this.#storage, this.#name, isWanted ? { unread, isOpen } : undefined);
      this.#known = kept;
    } catch {
      // Full or blocked: it stays a change, and goes along with the next one.
    }
  }

  /** Wipes everything, also what other tabs have written. */
  clear(): void {
    try {
      this.#storage?.removeItem(this.#key);
      if (this.#storage) setWake(this.#storage, this.#name);
    } catch {
      // Blocked: then there is nothing to wipe.
    }
  }

  #stored(): KeptConversation {
    try {
      const stored: unknown = JSON.parse(this.#storage?.getItem(this.#key) ?? '');
      const { keptAt = 0, ...kept } = KeptConversation.parse(stored);
      if (this.#now() < keptAt + this.#keepFor) return kept;
      this.clear();
    } catch {
      // Nothing, or nothing that makes sense.
    }
    return nothingKept;
  }

  #own({ pending }: KeptConversation): void {
    for (const { key } of pending) this.#ownKeys.add(key);
  }
}

/** What this tab may have changed, apart from its messages. */
const parts = ['conversationId', 'draft', 'toolResults', 'heard', 'seen', 'isOpen'] as const;
