import type { ConversationClient } from '../../../client/chat-client.ts';
import { readEarlier } from '../../../client/read-earlier.ts';
import { messageFrom } from './merge-history.ts';
import type { Earlier } from './request-conversation.ts';
import type { Message, Snapshot } from '../snapshot.ts';

/** The maximum number of pages that are requested. */
const maxPages = 100;

/** A page of messages before those of the snapshot, as the service returned it. */
export interface EarlierPage {
  readonly cursor: string;
  readonly messages: readonly Message[];
}

/** The messages before those that opening returned, loaded page by page. */
export class EarlierPages {
  /** Latest first. */
  readonly pages: EarlierPage[] = [];
  /** How many of these are shown. */
  shown = 0;
  /** Whether the last request failed. */
  hasFailed = false;
  /** The cursor of the next page; undefined if there is none. */
  #cursor: string | undefined;
  #fetching: Promise<void> | undefined;

  constructor({ earlier_cursor }: Earlier) {
    this.#cursor = earlier_cursor;
  }

  get isLoading(): boolean {
    return this.#fetching !== undefined;
  }

  /** Whether there are messages that are not shown. */
  get hasMore(): boolean {
    return this.shown < this.pages.length || this.#cursor !== undefined;
  }

  /** Requests the next earlier page. Never rejects: failures set `hasFailed`. */
  fetchNext(client: ConversationClient, conversationId: string): Promise<void> {
    return (this.#fetching ??= this.#fetch(client, conversationId).finally(() => {
      this.#fetching = undefined;
    }));
  }

  /** Requests all earlier pages. Returns whether all of them were loaded. */
  async fetchAll(client: ConversationClient, conversationId: string): Promise<boolean> {
    while (this.#cursor !== undefined && this.pages.length < maxPages) {
      await this.fetchNext(client, conversationId);
      if (this.hasFailed) return false;
    }
    return this.#cursor === undefined;
  }

  async #fetch(client: ConversationClient, conversationId: string): Promise<void> {
    const cursor = this.#cursor;
    if (cursor === undefined) return;
    try {
      const { history, earlier_cursor } = await readEarlier(client, conversationId, cursor);
      const messages = history.map((item, index) => messageFrom(item, `before-${cursor}-${index}`));
      if (messages.length > 0) this.pages.push({ cursor, messages });
      // A repeated cursor would cause an endless loop.
      const isKnown = this.pages.some((page) => page.cursor === earlier_cursor);
      this.#cursor = isKnown || messages.length === 0 ? undefined : earlier_cursor;
      this.hasFailed = false;
    } catch {
      this.hasFailed = true;
    }
  }
}

const known = new WeakMap<Earlier, EarlierPages>();

/** The earlier messages of a conversation; undefined if its snapshot is complete. */
export function earlierPagesOf({ earlier }: Snapshot): EarlierPages | undefined {
  if (earlier === undefined) return undefined;
  const pages = known.get(earlier) ?? new EarlierPages(earlier);
  known.set(earlier, pages);
  return pages;
}
