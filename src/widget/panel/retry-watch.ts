import { isTemporary } from '../conversation/problem.ts';
import type { Snapshot } from '../conversation/snapshot.ts';

/**
 * Runs a timer while a countdown is shown, and listens for `online` while another attempt can succeed. Retries by time:
 * {@link Retries}.
 */
export class RetryWatch {
  readonly #onTick: () => void;
  readonly #onOnline: () => void;
  #clock: ReturnType<typeof setInterval> | undefined;

  constructor(onTick: () => void, onOnline: () => void) {
    this.#onTick = onTick;
    this.#onOnline = onOnline;
  }

  /** Starts or stops watching, according to the problems that are shown. */
  watch({ problem, messages }: Snapshot, now: number): void {
    const problems = [problem, ...messages.map((message) => message.problem)];
    if (problems.some((problem) => (problem?.retryAt ?? 0) > now))
      this.#clock ??= setInterval(this.#onTick, 1000);
    else this.#stopClock();
    // Not only while the network is down: messages written offline wait behind one that failed for another reason.
    this.#listen(problems.some((problem) => !!problem && isTemporary(problem)));
  }

  stop(): void {
    this.#stopClock();
    this.#listen(false);
  }

  #stopClock(): void {
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #listen(isWanted: boolean): void {
    // A listener that was added before is not added again.
    if (isWanted) addEventListener('online', this.#onOnline);
    else removeEventListener('online', this.#onOnline);
  }
}
