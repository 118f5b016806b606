import { frameSeconds } from './audio-codec.ts';

/**
 * Called for each frame. `skipped` is the number of preceding frames that were skipped because the process was busy.
 */
export type OnFrame = (now: number, skipped: number) => void;

const interval = frameSeconds * 1000;
/** Maximum number of frames that are sent at once after a delay; others are skipped. */
const maxFramesAtOnce = 10;

/** Calls every listener 50 times a second. The times are multiples of 20 ms from the start, so they do not drift. */
export class FrameClock {
  readonly #listeners = new Set<OnFrame>();
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  add(listener: OnFrame): void {
    this.#listeners.add(listener);
    if (this.#timer) return;
    this.#next = performance.now() + interval;
    this.#schedule();
  }

  remove(listener: OnFrame): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(): void {
    this.#timer = setTimeout(
      () => {
        this.#tick();
      },
      Math.max(0, this.#next - performance.now()),
    );
  }

  #tick(): void {
    const due = Math.floor((performance.now() - this.#next) / interval) + 1;
    let skipped = Math.max(0, due - maxFramesAtOnce);
    for (let left = due - skipped; left > 0; left--) {
      for (const listener of [...this.#listeners]) listener(performance.now(), skipped);
      skipped = 0;
    }
    this.#next += due * interval;
    if (this.#listeners.size > 0) this.#schedule();
    else this.#timer = undefined;
  }
}
