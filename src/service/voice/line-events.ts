import type { LineEvent } from './line.ts';

/** A timer cannot wait longer than 2^31 - 1 milliseconds. */
const longestTimer = 2_147_483_647;

/** A queue of a line's events. When it is empty, every read returns `ended` again. */
export class LineEvents {
  readonly #events: LineEvent[] = [];
  #ended: LineEvent | undefined;
  #wake: (() => void) | undefined;

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  push(event: LineEvent): void {
    if (this.#ended) return;
    if (event.type === 'ended') this.#ended = event;
    else this.#events.push(event);
    this.#wake?.();
  }

  /** Returns the next event, or undefined if there is none within `seconds`. */
  async next(seconds: number, signal: AbortSignal): Promise<LineEvent | undefined> {
    signal.throwIfAborted();
    const event = this.#events.shift() ?? this.#ended;
    if (event !== undefined || seconds <= 0) return event;
    const waiting = Promise.withResolvers<undefined>();
    const wake = () => {
      waiting.resolve(undefined);
    };
    this.#wake = wake;
    const timer = setTimeout(wake, Math.min(seconds * 1000, longestTimer));
    signal.addEventListener('abort', wake, { once: true });
    await waiting.promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', wake);
    this.#wake = undefined;
    signal.throwIfAborted();
    return this.#events.shift() ?? this.#ended;
  }
}
