import type { Session } from '../session.ts';

/** The maximum delay of a timer, in milliseconds; longer ones would fire immediately. */
const maxDelay = 2 ** 31 - 1;

/** Decides when failed messages are sent again without the visitor, unless paused. */
export class Retries {
  readonly #now: () => number;
  readonly #retry: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, retry: () => void) {
    this.#now = now;
    this.#retry = retry;
  }

  /** Schedules a retry, instead of an earlier one, at the time that the service specified, if any. */
  schedule(retryAt: number | undefined): void {
    if (retryAt === undefined || this.#isPaused) return;
    this.stop();
    this.#timer = setTimeout(this.#retry, Math.min(retryAt - this.#now(), maxDelay));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  pause(): void {
    this.#isPaused = true;
    this.stop();
  }

  resume(): void {
    this.#isPaused = false;
  }

  /**
   * Continues with an open conversation after a pause. If `sendsFailed`, as after the page had removed the chat or the
   * browser was offline, failed messages are sent again at once, unless the service has specified a time.
   */
  continue(session: Session, sendsFailed: boolean): void {
    const refused = session.snapshot.messages.find(({ problem }) => problem?.retryAt);
    if (sendsFailed && !refused) session.requeue();
    else this.schedule(refused?.problem?.retryAt);
  }
}
