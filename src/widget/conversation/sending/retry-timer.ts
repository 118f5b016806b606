/** Timers take longer delays for none at all, milliseconds. */
const longestDelay = 2 ** 31 - 1;

/** Waits for the moment at which a service wants to be asked again; not while it is paused. */
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

  /** Waits until then, instead of whatever was waited for. */
  start(retryAt: number | undefined): void {
    if (retryAt === undefined || this.#isPaused) return;
    this.stop();
    this.#timer = setTimeout(this.#retry, Math.min(retryAt - this.#now(), longestDelay));
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
