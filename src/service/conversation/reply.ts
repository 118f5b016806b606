import type { ReplyEvent } from '../engine/engine.ts';
import type { ConversationError } from '../lib/conversation-error.ts';
import type { SettledAnswer } from './store-answer.ts';

/**
 * A reply in progress. It continues without listeners; a listener gets every event from the first, however late it
 * subscribes.
 */
export class Reply {
  readonly #events: ReplyEvent[] = [];
  readonly #outcome = Promise.withResolvers<SettledAnswer>();
  /** On the clock of `performance`. */
  readonly startedAt = performance.now();
  #settled = false;
  #progress = Promise.withResolvers<undefined>();

  constructor() {
    // There may be no listener left when a reply fails.
    this.#outcome.promise.catch(() => undefined);
  }

  /** The stored answer. Rejects with the ConversationError for the visitor. */
  get answer(): Promise<SettledAnswer> {
    return this.#outcome.promise;
  }

  /** Yields all events until the reply is settled. Never throws; `answer` has the outcome. */
  async *events(): AsyncGenerator<ReplyEvent, undefined> {
    for (let next = 0; ;) {
      const progress = this.#progress.promise;
      for (let event = this.#events[next]; event; event = this.#events[next]) {
        next++;
        yield event;
      }
      if (this.#settled && next === this.#events.length) return;
      if (next === this.#events.length) await progress;
    }
  }

  emit(event: ReplyEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  complete(answer: SettledAnswer): void {
    this.#settled = true;
    this.#outcome.resolve(answer);
    this.#wake();
  }

  fail(error: ConversationError): void {
    this.#settled = true;
    this.#outcome.reject(error);
    this.#wake();
  }

  #wake(): void {
    const { resolve } = this.#progress;
    this.#progress = Promise.withResolvers();
    resolve(undefined);
  }
}
