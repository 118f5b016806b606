import { ChatError } from './errors.ts';

/**
 * One request and its answer, under a deadline that every sign of life puts off, and under the caller's signal.
 * Turns what `fetch` and the body throw into the client's own errors.
 */
export class Exchange {
  readonly #controller = new AbortController();
  readonly #patience: number;
  readonly #callerSignal: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param patience milliseconds without a sign of life before the exchange times out */
  constructor(patience: number, callerSignal: AbortSignal | undefined) {
    this.#patience = patience;
    this.#callerSignal = callerSignal;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  readonly keepAlive = (): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#controller.abort(
        new ChatError('timeout', `The service did not answer within ${this.#patience / 1000} seconds.`),
      );
    }, this.#patience);
  };

  /** Runs `task` and rejects with a {@link ChatError}, whatever it throws. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const giveUp = (): void => {
      this.#controller.abort(
        new ChatError('aborted', 'The request was given up.', { cause: this.#callerSignal?.reason }),
      );
    };
    if (this.#callerSignal?.aborted) giveUp();
    this.#callerSignal?.addEventListener('abort', giveUp);
    this.keepAlive();
    try {
      this.signal.throwIfAborted();
      return await task();
    } catch (error) {
      // An aborted body may throw anything; the reason of the abort is the truth.
      if (this.signal.aborted) throw this.signal.reason as ChatError;
      // WebKit goes on downloading a body whose reader was cancelled; only this ends it.
      this.#controller.abort();
      if (error instanceof ChatError) throw error;
      throw new ChatError('network', 'The service could not be reached, or the connection broke.', {
        cause: error,
      });
    } finally {
      clearTimeout(this.#timer);
      this.#callerSignal?.removeEventListener('abort', giveUp);
    }
  }
}
