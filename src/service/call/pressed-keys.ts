import type { CallEvent, OwnedLine } from './owned-line.ts';

/** Seconds within which the next key belongs to the same input. */
const pauseSeconds = 2;

/** Maximum number of keys: more than any menu, account or card number has. */
const maxKeys = 32;

/** Joins keys that are pressed in quick succession into one event, such as `*12`. The key `#` ends the input. */
export class PressedKeys {
  readonly #line: OwnedLine;
  #next: CallEvent | undefined;

  constructor(line: OwnedLine) {
    this.#line = line;
  }

  async next(seconds: number, signal: AbortSignal): Promise<CallEvent | undefined> {
    const event = this.#next ?? (await this.#line.next(seconds, signal));
    this.#next = undefined;
    if (event?.type !== 'dtmf') return event;
    let keys = event.digit;
    while (!keys.endsWith('#') && keys.length < maxKeys) {
      const following = await this.#line.next(pauseSeconds, signal);
      if (following === undefined) break;
      if (following.type !== 'dtmf') {
        this.#next = following;
        break;
      }
      keys += following.digit;
    }
    return { type: 'dtmf', digit: keys };
  }
}
