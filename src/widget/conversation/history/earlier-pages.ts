import type { ConversationClient } from '../../../client/chat-client.ts';
import { readEarlier } from '../../../client/read-earlier.ts';
import { messageFrom } from './merge-history.ts';
import type { Earlier } from './conversation-record.ts';
import type { Message, Snapshot } from '../snapshot.ts';

/** Nobody reads further. */
const mostPages = 100;

/** Messages from before those of the snapshot, as many as the service gives at once. */
export interface EarlierPage {
  readonly cursor: string;
  readonly messages: readonly Message[];
}

/** What a conversation has beyond the end of its history that opening gave. It goes when the conversation does. */
export class EarlierPages {
  /** The latest first. */
  readonly pages: EarlierPage[] = [];
  /** How many of these show. */
  shown = 0;
  /** Whether the service could not give what was asked for last. */
  hasFailed = false;
  /** What to ask for what comes before them with; undefined where that is nothing. */
  #cursor: string | undefined;
  #fetching: Promise<void> | undefined;

  constructor({ earlier_cursor }: Earlier) {
    this.#cursor = earlier_cursor;
  }

  get isLoading(): boolean {
    return this.#fetching !== undefined;
  }

  /** Whether there is more than what shows. */
  get hasMore(): boolean {
    return this.shown < this.pages.length || this.#cursor !== undefined;
  }

  /** Asks for the page before those that are there; does not throw. */
  fetchNext(client: ConversationClient, conversationId: string): Promise<void> {
    return (this.#fetching ??= this.#fetch(client, conversationId).finally(() => {
      this.#fetching = undefined;
    }));
  }

  /** Asks for all that there is; gives whether that is here now. */
  async fetchAll(client: ConversationClient, conversationId: string): Promise<boolean> {
    while (this.#cursor !== undefined && this.pages.length < mostPages) {
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
      // A service that goes in circles is not followed.
      const isKnown = this.pages.some((page) => page.cursor === earlier_cursor);
      this.#cursor = isKnown || messages.length === 0 ? undefined : earlier_cursor;
      this.hasFailed = false;
    } catch {
      this.hasFailed = true;
    }
  }
}

const known = new WeakMap<Earlier, EarlierPages>();

/** What there is of a conversation before its snapshot; undefined where that is whole. */
export function earlierPagesOf({ earlier }: Snapshot): EarlierPages | undefined {
  if (earlier === undefined) return undefined;
  const pages = known.get(earlier) ?? new EarlierPages(earlier);
  known.set(earlier, pages);
  return pages;
}
