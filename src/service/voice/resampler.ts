/** Zero crossings of the filter on each side: enough for speech. */
const crossings = 8;

/** Converts a stream of samples to another rate, with a low-pass filter (windowed sinc). */
export class Resampler {
  readonly #step: number;
  readonly #cutoff: number;
  readonly #reach: number;
  /** Samples that the filter still needs; the first has index `#start` in the stream. */
  #samples: Int16Array = new Int16Array(0);
  #start = 0;
  #received = 0;
  #next = 0;

  constructor(from: number, to: number) {
    this.#step = from / to;
    this.#cutoff = Math.min(1, to / from);
    this.#reach = Math.ceil(crossings / this.#cutoff);
  }

  /** Converts the next samples. The last few are returned by the next call, or by {@link end}. */
  convert(samples: Int16Array): Int16Array {
    if (this.#step === 1) return samples;
    const joined = new Int16Array(this.#samples.length + samples.length);
    joined.set(this.#samples);
    joined.set(samples, this.#samples.length);
    this.#samples = joined;
    this.#received += samples.length;
    return this.#produce(this.#received - this.#reach);
  }

  /** Returns the last samples. */
  end(): Int16Array {
    return this.#step === 1 ? new Int16Array(0) : this.#produce(this.#received);
  }

  /** Produces samples for positions before `end` of the received stream. */
  #produce(end: number): Int16Array {
    const count = Math.max(0, Math.ceil((end - this.#next) / this.#step));
    const result = Int16Array.from({ length: count }, (_, index) =>
      this.#at(this.#next + index * this.#step),
    );
    this.#next += count * this.#step;
    const unneeded = Math.max(0, Math.floor(this.#next) - this.#reach - this.#start);
    this.#samples = this.#samples.slice(unneeded);
    this.#start += unneeded;
    return result;
  }

  #at(position: number): number {
    const first = Math.max(this.#start, Math.ceil(position - this.#reach));
    const last = Math.min(this.#received - 1, Math.floor(position + this.#reach));
    let sum = 0;
    for (let index = first; index <= last; index++) {
      const distance = index - position;
      const window = 0.5 + 0.5 * Math.cos((Math.PI * distance) / this.#reach);
      sum += (this.#samples[index - this.#start] ?? 0) * sinc(distance * this.#cutoff) * window;
    }
    return Math.max(-32_768, Math.min(32_767, Math.round(sum * this.#cutoff)));
  }
}

const sinc = (x: number) => (x === 0 ? 1 : Math.sin(Math.PI * x) / (Math.PI * x));
