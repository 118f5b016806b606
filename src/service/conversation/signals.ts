import { EventEmitter, once } from 'node:events';
import { within } from '../lib/within.ts';

/**
 * Wakes waiters in this process. Other processes are not told: a wait is always bounded, and who waits looks into the
 * database again, so a signal saves time and is never needed for the outcome.
 */
export class Signals {
  readonly #emitter = new EventEmitter().setMaxListeners(0);

  /** Resolves at the next signal for `key`, after `milliseconds`, or when aborted, whichever comes first. */
  async wait(key: string, milliseconds: number, signal: AbortSignal): Promise<void> {
    await within(milliseconds, [signal], async (either) => {
      await once(this.#emitter, key, { signal: either }).catch(() => undefined);
    });
  }

  notify(key: string): void {
    this.#emitter.emit(key);
  }
}

/** Bounds of the pause between two looks into the database, in milliseconds. It doubles from the first to the last. */
const firstPause = 25;
const lastPause = 1000;

/**
 * Asks `check` again and again, with growing pauses that a signal for `key` cuts short, until it answers.
 *
 * @throws the signal's reason, once it is aborted.
 */
export async function pollUntil<Answer>(
  signals: Signals,
  key: string,
  check: () => Promise<Answer | undefined>,
  signal: AbortSignal,
): Promise<Answer> {
  for (let pause = firstPause; ; pause = Math.min(pause * 2, lastPause)) {
    signal.throwIfAborted();
    const answer = await check();
    if (answer !== undefined) return answer;
    await signals.wait(key, pause, signal);
  }
}
