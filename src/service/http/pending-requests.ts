import { waitWithTimeout } from '../lib/with-timeout.ts';

/** The requests whose responses have not started. */
export class PendingRequests {
  readonly #responses = new Set<Promise<unknown>>();

  /** Tracks a request until its response starts; a streamed response continues after that. */
  track<Response>(handled: Response | Promise<Response>): Promise<Response> {
    const response = Promise.resolve(handled).finally(() => this.#responses.delete(response));
    this.#responses.add(response);
    return response;
  }

  /** Waits until these responses have started, for up to `milliseconds`. */
  async finish(milliseconds: number): Promise<void> {
    await waitWithTimeout(milliseconds, Promise.allSettled(this.#responses));
  }
}
