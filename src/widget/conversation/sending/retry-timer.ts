/** The maximum delay of a timer, in milliseconds; longer ones would fire immediately. */
const maxDelay = 2 ** 31 - 1;

/** Retries at the time that the service specified, unless paused. */
export class RetryTimer {
  readonly #now: () => number;
  readonly #retry: () => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isPaused = false;

  /** @param now milliseconds since 1970 */
  constructor(now: () => number, retry: () => void) {
    this.#now = now;
    this.#retry = retry;
  }

  /** Schedules a retry, instead of an earlier one, at a time in milliseconds since 1970. */
  start(retryAt: number | undefined): void {
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
}
