import { waitAtMost } from '../lib/within.ts';

/** The requests whose responses have not begun yet. */
export class PendingRequests {
  readonly #responses = new Set<Promise<unknown>>();

  /** Counts a request until its response begins; a streamed response goes on after that. */
  track<Response>(handled: Response | Promise<Response>): Promise<Response> {
    const response = Promise.resolve(handled).finally(() => this.#responses.delete(response));
    this.#responses.add(response);
    return response;
  }

  /** Waits until the responses of these requests have begun, for up to `milliseconds`. */
  async finish(milliseconds: number): Promise<void> {
    await waitAtMost(milliseconds, Promise.allSettled(this.#responses));
  }
}
