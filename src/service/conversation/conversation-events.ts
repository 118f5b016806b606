import { eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { Notifications } from '../db/notifications.ts';
import { prepared } from '../db/prepared.ts';
import { assistants, conversations } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';
import { networkUsageFactor } from '../lib/visitor-addresses.ts';
import type { VisitorAddresses } from '../lib/visitor-addresses.ts';
import { isClosedAndAnswered } from './is-closed.ts';
import { readAdded, readLatestId } from './history.ts';
import type { AddedEntry } from './history.ts';
import { channel } from './notify-processes.ts';
import { conversationKey } from './change-notifier.ts';
import type { ChangeNotifier, Subscription } from './change-notifier.ts';

/** An event of a conversation (our addition: `GET /conversations/{uuid}/events`). */
export type ConversationEvent =
  | { type: 'message'; added: AddedEntry }
  | { type: 'handoff'; aiEnabled: boolean }
  /** `latest` is the id of the latest entry that the client has. */
  | { type: 'ended'; latest: number };

/** The latest event that a client has received. */
export interface Cursor {
  /** The id of an entry. */
  readonly after: number;
  /** Whether it was `ended`, after that entry. */
  readonly isEnd: boolean;
}

/** Streams that may be open at once. */
const limits = { ofConversation: 8, ofAddress: 200, ofProcess: 20_000 };

/** Pause between two queries for changes, in milliseconds, by whether notifications are reliable. */
const pollMs = { reliable: 5000, unreliable: 1000 };

/** Too many streams are open for a conversation, from an address, or in this process. */
export class TooManyStreamsError extends Error {
  override readonly name = 'TooManyStreamsError';
}

/** An open stream. */
export interface EventStream {
  readonly events: AsyncIterable<ConversationEvent>;
  /** Ends the stream; further calls have no effect. */
  readonly close: () => void;
}

/** The streams of one conversation in this process. */
interface Watched {
  streams: number;
  /** The result of the latest query, to detect changes. */
  state: string | undefined;
}

/**
 * The event streams that this process serves, for which it polls the database: one query for all streams, more often
 * while notifications are not reliable. A stream reads its conversation when the query finds a change, when it is
 * notified, and when a reply of this process is settled.
 */
export class ConversationEvents {
  readonly #database: Database;
  readonly #notifier: ChangeNotifier;
  readonly #log: Logger;
  readonly #notifications: Notifications;
  readonly #watched = new Map<number, Watched>();
  /** Open streams by block of addresses, and by network. */
  readonly #addresses = new Map<string, number>();
  readonly #open = new Set<Subscription>();
  #isClosing = false;
  #timer: NodeJS.Timeout | undefined;
  #polling: Promise<void> | undefined;

  constructor({ database, notifier, log }: { database: Database; notifier: ChangeNotifier; log: Logger }) {
    this.#database = database;
    this.#notifier = notifier;
    this.#log = log;
    const onNotification = (payload: string) => {
      notifier.notify(conversationKey(Number(payload)));
    };
    this.#notifications = new Notifications(database, channel, onNotification, log);
  }

  /**
   * Opens a stream of a conversation's events. It ends with the conversation or the process, or when the caller closes
   * it, which is required in any case.
   *
   * @param options.cursor the event after which the stream begins; by default it begins now.
   * @param options.visitor limits the streams of these addresses; undefined for no limit.
   * @returns undefined if the cursor is that of `ended` and nothing has changed since.
   * @throws ConversationError if there is no such conversation; TooManyStreamsError
   */
  async open(
    uuid: string,
    { cursor, visitor }: { cursor: Cursor | undefined; visitor: VisitorAddresses | undefined },
  ): Promise<EventStream | undefined> {
    const { db } = this.#database;
    const [conversation] = await db
      .select({ id: conversations.id })
      .from(conversations)
      .where(eq(conversations.uuid, uuid));
    if (!conversation) throw ConversationError.conversationNotFound();
    const { id } = conversation;
    if (cursor?.isEnd === true && (await this.#isAtEnd(id, cursor.after))) return undefined;
    const after = cursor?.after ?? (await readLatestId(db, id));
    const close = this.#admit(id, visitor);
    const changes = this.#notifier.subscribe(conversationKey(id));
    this.#open.add(changes);
    if (this.#isClosing) {
      changes.close();
    } else {
      this.#notifications.open();
      this.#schedule();
    }
    return {
      events: this.#follow(id, after, changes),
      close: () => {
        changes.close();
        if (this.#open.delete(changes)) close();
      },
    };
  }

  /** Receives notifications of changes from now on, also without a stream. */
  listen(): void {
    if (!this.#isClosing) this.#notifications.open();
  }

  /** Ends all streams. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const changes of this.#open) changes.close();
    clearTimeout(this.#timer);
    await this.#polling;
    await this.#notifications.close();
  }

  /**
   * Counts a stream.
   *
   * @returns a function that releases it.
   */
  #admit(id: number, visitor: VisitorAddresses | undefined): () => void {
    const watched = this.#watched.get(id) ?? { streams: 0, state: undefined };
    const { addressBlock, addressNetwork } = visitor ?? {};
    if (
      watched.streams >= limits.ofConversation ||
      this.#streamsOf(addressBlock) >= limits.ofAddress ||
      this.#streamsOf(addressNetwork) >= limits.ofAddress * networkUsageFactor ||
      this.#open.size >= limits.ofProcess
    ) {
      throw new TooManyStreamsError('Too many event streams are open.');
    }
    watched.streams++;
    this.#watched.set(id, watched);
    const addresses = [addressBlock, addressNetwork].filter((address) => address !== undefined);
    for (const address of addresses) this.#addresses.set(address, this.#streamsOf(address) + 1);
    return () => {
      if (--watched.streams === 0) this.#watched.delete(id);
      for (const address of addresses) {
        const left = this.#streamsOf(address) - 1;
        if (left === 0) this.#addresses.delete(address);
        else this.#addresses.set(address, left);
      }
    };
  }

  #streamsOf(address: string | undefined): number {
    return address === undefined ? 0 : (this.#addresses.get(address) ?? 0);
  }

  /** Whether a conversation has ended, with no entries after the entry `after`. */
  async #isAtEnd(id: number, after: number): Promise<boolean> {
    const { db } = this.#database;
    const [state] = await selectState(db, { id });
    return state?.ended === true && (await readAdded(db, id, after)).length === 0;
  }

  async *#follow(
    id: number,
    after: number,
    changes: Subscription,
  ): AsyncGenerator<ConversationEvent, undefined> {
    const { db } = this.#database;
    let latest = after;
    let aiEnabled: boolean | undefined;
    do {
      // Read first, so that every entry of an ended conversation is sent before its `ended`.
      const [state] = await selectState(db, { id });
      for (let added = await readAdded(db, id, latest); added.length > 0;) {
        for (const each of added) {
          yield { type: 'message', added: each };
          latest = each.id;
        }
        added = await readAdded(db, id, latest);
      }
      if (state && state.aiEnabled !== aiEnabled) {
        aiEnabled = state.aiEnabled;
        yield { type: 'handoff', aiEnabled };
      }
      if (!state || state.ended) {
        yield { type: 'ended', latest };
        return;
      }
    } while (await changes.next());
  }

  #schedule(): void {
    if (this.#open.size === 0 || this.#isClosing || this.#polling) return;
    const pause = this.#notifications.isReliable ? pollMs.reliable : pollMs.unreliable;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#polling = this.#poll().finally(() => {
        this.#polling = undefined;
        this.#schedule();
      });
    }, pause);
  }

  /** Wakes the streams of the conversations that have changed, with one query for all of them. */
  async #poll(): Promise<void> {
    const ids = [...this.#watched.keys()];
    if (ids.length === 0) return;
    try {
      const found = await this.#database.db
        .select({
          id: conversations.id,
          state: sql<string>`concat_ws(' ', ${conversations.updatedAt}, ${conversations.aiEnabled}, ${isClosedAndAnswered})`,
        })
        .from(conversations)
        .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
        .where(sql`${conversations.id} = ANY (${sql.param(ids)}::bigint[])`);
      const states = new Map(found.map(({ id, state }) => [id, state]));
      for (const id of ids) {
        const watched = this.#watched.get(id);
        const state = states.get(id) ?? 'deleted';
        if (!watched || watched.state === state) continue;
        watched.state = state;
        this.#notifier.notify(conversationKey(id));
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'polling for conversation changes failed; retrying');
    }
  }
}

const selectState = prepared<{ id: number }, { aiEnabled: boolean; ended: boolean }[]>((queries, params) =>
  queries
    .select({ aiEnabled: conversations.aiEnabled, ended: isClosedAndAnswered })
    .from(conversations)
    .innerJoin(assistants, eq(assistants.id, conversations.assistantId))
    .where(eq(conversations.id, params.id)),
);
