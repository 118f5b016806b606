import { inArray } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { messages } from '../db/schema.ts';
import { ConversationError } from '../lib/conversation-error.ts';

/** Pause between two queries for requests and deletions, in milliseconds. */
const pollMs = 500;

/** Abort reason of a reply that was stopped; its text so far is the answer. */
export const replyStopped = new Error('The reply was stopped.');

/**
 * Aborts replies of this process when a visitor stops them or their conversation is deleted. Requests to this process
 * count at once. Requests to other processes, and deletions by commands, are polled from the database, with one query for
 * all replies.
 */
export class StopRequests {
  readonly #database: Database;
  readonly #watched = new Map<number, AbortController>();
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Returns a signal that aborts with {@link replyStopped}, or with a ConversationError when the conversation is
   * deleted.
   */
  watch(messageId: number): AbortSignal {
    const controller = new AbortController();
    this.#watched.set(messageId, controller);
    this.#schedule();
    return controller.signal;
  }

  release(messageId: number): void {
    this.#watched.delete(messageId);
    if (this.#watched.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  stop(messageId: number): void {
    this.#watched.get(messageId)?.abort(replyStopped);
  }

  /** Aborts the reply because its conversation was deleted. */
  discard(messageId: number): void {
    this.#watched.get(messageId)?.abort(ConversationError.conversationNotFound());
  }

  /** Schedules the next query unless there are no replies, or one is scheduled or running. */
  #schedule(): void {
    if (this.#watched.size === 0 || this.#isPolling) return;
    this.#timer ??= setTimeout(() => void this.#poll(), pollMs);
  }

  async #poll(): Promise<void> {
    this.#timer = undefined;
    this.#isPolling = true;
    const ids = [...this.#watched.keys()];
    // A database error does not end replies: the next query follows soon.
    const found = await this.#database.db
      .select({ id: messages.id, isStopped: messages.replyStopRequested })
      .from(messages)
      .where(inArray(messages.id, ids))
      .catch(() => undefined);
    if (found) {
      const stopRequested = new Map(found.map(({ id, isStopped }) => [id, isStopped]));
      for (const id of ids) {
        if (stopRequested.get(id) === undefined) this.discard(id);
        else if (stopRequested.get(id) === true) this.stop(id);
      }
    }
    this.#isPolling = false;
    this.#schedule();
  }
}
