import { ChatError } from './chat-error.ts';

/** Timers of more milliseconds, such as `Infinity`, run at once. */
const longestTimer = 2 ** 31 - 1;

/**
 * A request and its response, with an idle timeout and the caller's abort signal. Converts errors of `fetch` and of the
 * body into {@link ChatError}s.
 */
export class TimedRequest {
  readonly #controller = new AbortController();
  readonly #timeout: number;
  readonly #callerSignal: AbortSignal | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** @param timeout milliseconds without {@link keepAlive} before the exchange times out */
  constructor(timeout: number, callerSignal: AbortSignal | undefined) {
    this.#timeout = timeout;
    this.#callerSignal = callerSignal;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Restarts the timeout, or replaces it by another one; called for every received chunk. */
  readonly keepAlive = (timeout = this.#timeout): void => {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => {
        this.#controller.abort(
          new ChatError('timeout', `The service did not answer within ${timeout / 1000} seconds.`),
        );
      },
      Math.min(timeout, longestTimer),
    );
  };

  /**
   * Calls `fetch` with this request's signal.
   *
   * @param createInput returns its other arguments
   * @throws {ChatError} `invalid-request` for a value that cannot be sent, such as cyclic JSON or an invalid header;
   *   `bad-response` if the service redirects a request that is not a GET
   */
  async fetch(createInput: () => [url: string, init: RequestInit]): Promise<Response> {
    let input;
    try {
      input = createInput();
      // Throws for the same values as `fetch`, whose error could also be one of the network.
      new Request(...input);
    } catch (cause) {
      throw new ChatError('invalid-request', 'The request is not valid.', { cause });
    }
    const [url, init] = input;
    // Following a redirect would turn most POSTs into GETs, whose response says something else.
    const redirect = init.method === 'GET' ? 'follow' : 'manual';
    const response = await fetch(url, { ...init, redirect, signal: this.signal });
    this.keepAlive();
    // Browsers hide the status of a redirect (0), and its address.
    if (!response.ok && response.status < 400)
      throw new ChatError('bad-response', 'The base URL redirects: use the address that it leads to.');
    return response;
  }

  /** Runs `task`, and rejects with a {@link ChatError} for anything that it throws. */
  async run<T>(task: () => Promise<T>): Promise<T> {
    const abort = (): void => {
      this.#controller.abort(
        new ChatError('aborted', 'The request was aborted.', { cause: this.#callerSignal?.reason }),
      );
    };
    if (this.#callerSignal?.aborted) abort();
    this.#callerSignal?.addEventListener('abort', abort);
    this.keepAlive();
    try {
      this.signal.throwIfAborted();
      return await task();
    } catch (error) {
      // An aborted body may throw any error; the abort reason is the actual cause.
      if (this.signal.aborted) throw this.signal.reason as ChatError;
      // WebKit continues to download a body after its reader is cancelled; only aborting stops it.
      this.#controller.abort();
      if (error instanceof ChatError) throw error;
      throw new ChatError('network', 'The service could not be reached, or the connection broke.', {
        cause: error,
      });
    } finally {
      clearTimeout(this.#timer);
      this.#callerSignal?.removeEventListener('abort', abort);
    }
  }
}
