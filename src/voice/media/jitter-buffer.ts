/** A step in the stream of packets: the next payload, or a gap with the payload after it. */
export type StreamStep = { payload: Uint8Array } | { lost: true; next: Uint8Array | undefined };

/** Minimum and maximum wait for a missing packet, in milliseconds. */
const minWaitMs = 40;
const maxWaitMs = 300;
/** Milliseconds added to the longest observed delay. */
const margin = 20;
/** Maximum distance between sequence numbers (2 seconds). A packet further away restarts the stream. */
const furthest = 100;

/**
 * Reorders packets. Packets in order pass at once: the audio is transcribed, which needs no steady pace. A gap delays
 * the stream until the missing packet arrives, for at most as long as earlier packets were late.
 */
export class JitterBuffer {
  #expected: number | undefined;
  readonly #waiting = new Map<number, { payload: Uint8Array; arrivedAt: number }>();
  /** Sequence numbers that are no longer waited for, with the time at which the gap was detected. */
  readonly #lost = new Map<number, number>();
  #wait = minWaitMs;

  /** Adds a packet. Returns the steps that can be decoded now. Times are in milliseconds. */
  add(sequenceNumber: number, payload: Uint8Array, now: number): StreamStep[] {
    this.#expected ??= sequenceNumber;
    const ahead = distance(this.#expected, sequenceNumber);
    const noticedAt = this.#lost.get(sequenceNumber);
    if (Math.abs(ahead) > furthest) this.#restart(sequenceNumber);
    else if (ahead < 0) {
      if (noticedAt !== undefined) this.#raiseWait(now - noticedAt);
      return [];
    } else if (ahead === 0) {
      const gapSince = this.#gapSince();
      if (gapSince === undefined) this.#wait = Math.max(minWaitMs, this.#wait * 0.999);
      else this.#raiseWait(now - gapSince);
    }
    this.#waiting.set(sequenceNumber, { payload, arrivedAt: now });
    return this.release(now);
  }

  /** Returns the steps that can be decoded now because they have waited long enough. */
  release(now: number): StreamStep[] {
    const steps: StreamStep[] = [];
    while (this.#expected !== undefined && this.#waiting.size > 0) {
      const expected = this.#expected;
      const packet = this.#waiting.get(expected);
      const gapSince = this.#gapSince() ?? now;
      if (!packet && now - gapSince < this.#wait) break;
      this.#expected = next(expected);
      if (packet) {
        this.#waiting.delete(expected);
        steps.push({ payload: packet.payload });
      } else {
        this.#markLost(expected, gapSince);
        steps.push({ lost: true, next: this.#waiting.get(next(expected))?.payload });
      }
    }
    return steps;
  }

  /** Returns the arrival time of the first packet after a gap. */
  #gapSince(): number | undefined {
    let first: number | undefined;
    for (const { arrivedAt } of this.#waiting.values()) first = Math.min(first ?? arrivedAt, arrivedAt);
    return first;
  }

  #raiseWait(lateness: number): void {
    this.#wait = Math.min(maxWaitMs, Math.max(this.#wait, lateness + margin));
  }

  #markLost(sequenceNumber: number, noticedAt: number): void {
    this.#lost.set(sequenceNumber, noticedAt);
    const [oldest] = this.#lost.keys();
    if (this.#lost.size > furthest && oldest !== undefined) this.#lost.delete(oldest);
  }

  #restart(sequenceNumber: number): void {
    this.#waiting.clear();
    this.#lost.clear();
    this.#expected = sequenceNumber;
  }
}

const next = (sequenceNumber: number) => (sequenceNumber + 1) & 0xffff;

/** Returns the distance between two sequence numbers, across the overflow at 16 bits. */
const distance = (from: number, to: number) => ((to - from + 0x8000) & 0xffff) - 0x8000;
