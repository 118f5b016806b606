/** Seconds of audio that must have arrived before playback begins, since packets arrive unevenly. */
const lead = 0.06;
/** Maximum number of queued seconds; above it, quiet moments are dropped. */
const maxQueuedSeconds = 0.2;
/** Seconds of queued audio above which the oldest audio is dropped, quiet or not. */
const maxDelaySeconds = 5;
/** Peak amplitude of a quiet moment. */
const quiet = 250;

/**
 * Queues the visitor's audio until it is recorded. Audio that arrives late, and then faster than it was spoken, is
 * recorded at its original speed, as on a phone.
 */
export class VisitorAudioQueue {
  readonly #rate: number;
  readonly #waiting: Int16Array[] = [];
  #length = 0;
  #isFlowing = false;
  /** Samples requested since audio was first queued. */
  #waited = 0;

  constructor(rate: number) {
    this.#rate = rate;
  }

  add(samples: Int16Array): void {
    // The decoder may reuse its memory.
    this.#waiting.push(samples.slice());
    this.#length += samples.length;
    const surplus = this.#length - maxDelaySeconds * this.#rate;
    if (surplus > 0) this.#remove(surplus);
  }

  /** Returns the next samples; undefined for silence. */
  take(count: number): Int16Array | undefined {
    if (!this.#isFlowing) {
      if (this.#length > 0) this.#waited += count;
      if (this.#length < lead * this.#rate && this.#waited <= lead * this.#rate) return undefined;
    }
    this.#waited = 0;
    let taken = this.#remove(count);
    while (this.#length > maxQueuedSeconds * this.#rate && isQuiet(taken)) taken = this.#remove(count);
    this.#isFlowing = this.#length > 0;
    return taken;
  }

  #remove(count: number): Int16Array {
    const removed = new Int16Array(Math.min(count, this.#length));
    this.#length -= removed.length;
    for (let filled = 0; filled < removed.length;) {
      const [first = removed] = this.#waiting;
      const part = first.subarray(0, removed.length - filled);
      removed.set(part, filled);
      filled += part.length;
      if (part.length < first.length) this.#waiting[0] = first.subarray(part.length);
      else this.#waiting.shift();
    }
    return removed;
  }
}

const isQuiet = (samples: Int16Array) => samples.every((sample) => Math.abs(sample) <= quiet);
