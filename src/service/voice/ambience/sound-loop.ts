const seconds = 8;

/** A band of noise. */
interface Noise {
  /** Hertz. */
  from: number;
  to: number;
  level: number;
  /** Number of swells within the loop, and their share of the level. */
  swells?: number;
  depth?: number;
}

/** Short sounds at random moments of the loop. */
interface Events {
  count: number;
  level: number;
  seconds: number;
  /** The sample at a time, from -1 to 1. `pitch`, from 0 to 1, is random for each event. */
  shape: (second: number, pitch: number) => number;
}

/**
 * A looping sound built from layers. Each layer is periodic in the length of the loop, so the loop has no seam. The
 * noise has a fixed seed, so the sound is the same each time.
 */
export class SoundLoop {
  readonly #rate: number;
  readonly #sum: Float64Array;
  readonly #random = pseudorandom(1);

  constructor(rate: number) {
    this.#rate = rate;
    this.#sum = new Float64Array(rate * seconds);
  }

  noise({ from, to, level, swells = 1, depth = 0 }: Noise): this {
    const phase = this.#random() * 2 * Math.PI;
    const step = (2 * Math.PI * swells) / this.#sum.length;
    this.#add(this.#band(from, to), level, (index) => 1 - (depth / 2) * (1 + Math.sin(index * step + phase)));
    return this;
  }

  /** Distant voices without words. */
  voices(count: number, level: number): this {
    for (let voice = 0; voice < count; voice++) {
      const from = 150 + 250 * this.#random();
      const syllables = Array.from({ length: seconds * 4 }, () => 0.3 + 0.7 * this.#random());
      const length = this.#sum.length / syllables.length;
      this.#add(this.#band(from, from * 5), level / Math.sqrt(count), (index) =>
        between(syllables, index / length),
      );
    }
    return this;
  }

  events({ count, level, seconds: duration, shape }: Events): this {
    for (let event = 0; event < count; event++) {
      const start = Math.floor(this.#random() * this.#sum.length);
      const [pitch, strength] = [this.#random(), 0.5 + 0.5 * this.#random()];
      for (let index = 0; index < duration * this.#rate; index++) {
        const at = (start + index) % this.#sum.length;
        this.#sum[at] = (this.#sum[at] ?? 0) + level * strength * shape(index / this.#rate, pitch);
      }
    }
    return this;
  }

  /** @param loudness root mean square of the samples */
  render(loudness: number): Int16Array {
    const scale = loudness / rms(this.#sum);
    return new Int16Array(this.#sum.length).map((_, index) => Math.round((this.#sum[index] ?? 0) * scale));
  }

  #add(samples: Float64Array, level: number, envelope: (index: number) => number): void {
    const scale = level / rms(samples);
    const sum = this.#sum;
    for (let index = 0; index < sum.length; index++) {
      sum[index] = (sum[index] ?? 0) + (samples[index] ?? 0) * scale * envelope(index);
    }
  }

  /** Noise between two frequencies. */
  #band(from: number, to: number): Float64Array {
    const noise = new Float64Array(this.#sum.length);
    for (let index = 0; index < noise.length; index++) noise[index] = this.#random() * 2 - 1;
    const low = this.#lowPass(this.#lowPass(noise, to), to);
    const lower = this.#lowPass(low, from);
    for (let index = 0; index < low.length; index++) low[index] = (low[index] ?? 0) - (lower[index] ?? 0);
    return low;
  }

  #lowPass(samples: Float64Array, hertz: number): Float64Array {
    const share = 1 - Math.exp((-2 * Math.PI * hertz) / this.#rate);
    const filtered = new Float64Array(samples.length);
    let state = 0;
    // The second round starts with the filter's state at the end of the loop, which removes the seam.
    for (let round = 0; round < 2; round++) {
      // Iterators would take ten times as long.
      for (let index = 0; index < samples.length; index++) {
        state += share * ((samples[index] ?? 0) - state);
        filtered[index] = state;
      }
    }
    return filtered;
  }
}

/** Interpolates smoothly between values on a circle. */
function between(values: readonly number[], position: number): number {
  const index = Math.floor(position);
  const [one = 0, other = 0] = [values[index % values.length], values[(index + 1) % values.length]];
  return one + ((other - one) * (1 - Math.cos(Math.PI * (position - index)))) / 2;
}

function rms(samples: Float64Array): number {
  let sum = 0;
  for (let index = 0; index < samples.length; index++) sum += (samples[index] ?? 0) ** 2;
  return Math.sqrt(sum / samples.length);
}

/** Mulberry32: numbers from 0 to 1, reproducible by their seed. */
function pseudorandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
