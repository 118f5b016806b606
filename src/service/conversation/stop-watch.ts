import { inArray } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { messages } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';

/** Pause between two looks for requests that other processes took in, in milliseconds. */
const pause = 500;

/** The reason of a signal that ends a reply where it is. */
export const stopped = new Error('The reply was stopped.');

/**
 * Tells the replies that this process writes when to end early: when a visitor stops them, or when their conversation
 * is deleted. Requests that this process took in count at once. Those of others stand in the database, which is looked
 * at while replies are under way, with one query for all of them.
 */
export class StopWatch {
  readonly #database: Database;
  readonly #watched = new Map<number, AbortController>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Aborts with {@link stopped}, or with a ConversationError when there is nothing left to answer. */
  watch(messageId: number): AbortSignal {
    const controller = new AbortController();
    this.#watched.set(messageId, controller);
    this.#goOn();
    return controller.signal;
  }

  release(messageId: number): void {
    this.#watched.delete(messageId);
    if (this.#watched.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  stop(messageId: number): void {
    this.#watched.get(messageId)?.abort(stopped);
  }

  /** Its conversation is gone. */
  discard(messageId: number): void {
    this.#watched.get(messageId)?.abort(ConversationError.conversationNotFound());
  }

  /** Has the next look follow, unless there is nothing to look for, or one is under way already. */
  #goOn(): void {
    // Nobody else works on an embedded database.
    if (this.#database.kind !== 'postgres' || this.#watched.size === 0 || this.#isLooking) return;
    this.#timer ??= setTimeout(() => void this.#look(), pause);
  }

  async #look(): Promise<void> {
    this.#timer = undefined;
    this.#isLooking = true;
    const ids = [...this.#watched.keys()];
    // A database that is away for a moment is no reason to end a reply, and the next look comes soon.
    const found = await this.#database.db
      .select({ id: messages.id, isStopped: messages.replyStopRequested })
      .from(messages)
      .where(inArray(messages.id, ids))
      .catch(() => undefined);
    if (found) {
      const asked = new Map(found.map(({ id, isStopped }) => [id, isStopped]));
      for (const id of ids) {
        if (asked.get(id) === undefined) this.discard(id);
        else if (asked.get(id) === true) this.stop(id);
      }
    }
    this.#isLooking = false;
    this.#goOn();
  }
}
