import { randomInt } from 'node:crypto';

/** Allocates UDP ports from a range. */
export class UdpPorts {
  readonly #first: number;
  readonly #last: number;
  readonly #used = new Set<number>();

  constructor([first, last]: readonly [number, number]) {
    this.#first = first;
    this.#last = last;
  }

  /** Takes a random free port, since other processes may use the same range; undefined if none is free. */
  take(): number | undefined {
    const size = this.#last - this.#first + 1;
    const start = randomInt(size);
    for (let step = 0; step < size; step++) {
      const port = this.#first + ((start + step) % size);
      if (this.#used.has(port)) continue;
      this.#used.add(port);
      return port;
    }
    return undefined;
  }

  release(port: number): void {
    this.#used.delete(port);
  }
}
