import { isPast } from './is-past.ts';
import type { CallEvent, LeasedLine } from '../connection/leased-line.ts';

/** Seconds within which the next key belongs to the same input. */
const pauseSeconds = 2;

/** Maximum number of keys: more than any menu, account or card number has. */
const maxKeys = 32;

/** Joins keys that are pressed in quick succession into one event, such as `*12`. The key `#` ends the input. */
export class PressedKeys {
  readonly #line: LeasedLine;
  #keys = '';
  #pressedAt: number | undefined;
  #next: CallEvent | undefined;

  constructor(line: LeasedLine) {
    this.#line = line;
  }

  /** When the latest key was pressed, on the line's clock. */
  get pressedAt(): number | undefined {
    return this.#pressedAt;
  }

  /** Returns undefined after `seconds`. The keys of an unfinished input are kept for the next call. */
  async next(seconds: number, signal: AbortSignal): Promise<CallEvent | undefined> {
    const line = this.#line;
    const until = line.now + seconds;
    for (;;) {
      const end = this.#keys === '' ? Infinity : (this.#pressedAt ?? 0) + pauseSeconds;
      const event = this.#next ?? (await line.next(Math.min(until, end) - line.now, signal));
      this.#next = undefined;
      if (event?.type === 'dtmf') {
        this.#pressedAt = line.now;
        this.#keys += event.digit;
        if (!event.digit.endsWith('#') && this.#keys.length < maxKeys) continue;
      } else {
        if (this.#keys === '' || (!event && !isPast(end, line.now))) return event;
        this.#next = event;
      }
      const digit = this.#keys;
      this.#keys = '';
      return { type: 'dtmf', digit };
    }
  }
}
