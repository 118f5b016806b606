/** Pseudorandom numbers. The same seed gives the same sequence. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  /** Returns a number from 0 to less than 1 (Mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  /** Returns an integer from `min` to `max`. */
  integer(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1));
  }

  /** Returns whether an event of this probability, 0 to 1, happens. */
  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** Returns an independent sequence, for work that runs at the same time. */
  fork(): Random {
    return new Random(this.integer(0, 2 ** 31));
  }
}

/** The seed of this run: `FAULTS_SEED`, or the default one. */
export const seed = Number(process.env['FAULTS_SEED'] ?? 20_261_122);
