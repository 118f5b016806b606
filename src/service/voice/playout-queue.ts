/** Number of frames that are sent again after a pause: 0.2 seconds. */
const repeatedFrames = 10;

/** Queues audio and marks to be sent, in order. */
export class PlayoutQueue {
  readonly #frameLength: number;
  readonly #capacity: number;
  #entries: (Int16Array | string)[] = [];
  #length = 0;
  /** Marks within the last frame that was taken. */
  #passed: string[] = [];
  #isPaused = false;
  /** The latest taken frames since the last silence. */
  #recent: Int16Array[] = [];

  /** @param capacity maximum number of queued samples */
  constructor(frameLength: number, capacity: number) {
    this.#frameLength = frameLength;
    this.#capacity = capacity;
  }

  /** Adds audio. Returns false and adds nothing if the queue has no room for it. */
  add(samples: Int16Array): boolean {
    if (this.#length + samples.length > this.#capacity) return false;
    if (samples.length > 0) this.#entries.push(samples);
    this.#length += samples.length;
    return true;
  }

  mark(id: string): void {
    this.#entries.push(id);
  }

  /** Makes {@link take} return silence and no marks. */
  pause(): void {
    this.#isPaused = true;
  }

  /** Resumes shortly before the pause, since the browser had not played the latest frames. */
  resume(): void {
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#entries.unshift(...this.#recent);
    for (const frame of this.#recent) this.#length += frame.length;
    this.#recent = [];
  }

  clear(): void {
    this.#isPaused = false;
    this.#recent = [];
    this.#entries = [];
    this.#passed = [];
    this.#length = 0;
  }

  /** Returns the next frame (undefined for silence), and the marks before it. */
  take(): { marks: string[]; frame: Int16Array | undefined } {
    if (this.#isPaused) return { marks: [], frame: undefined };
    const marks = this.#passed;
    this.#passed = [];
    while (typeof this.#entries[0] === 'string') marks.push(this.#entries.shift() as string);
    if (this.#length === 0) {
      this.#recent = [];
      return { marks, frame: undefined };
    }
    const frame = new Int16Array(this.#frameLength);
    let filled = 0;
    while (filled < frame.length) {
      const entry = this.#entries.shift();
      if (entry === undefined) break;
      if (typeof entry === 'string') {
        this.#passed.push(entry);
        continue;
      }
      const part = entry.subarray(0, frame.length - filled);
      frame.set(part, filled);
      filled += part.length;
      if (part.length < entry.length) this.#entries.unshift(entry.subarray(part.length));
    }
    this.#length -= filled;
    this.#recent.push(frame);
    if (this.#recent.length > repeatedFrames) this.#recent.shift();
    return { marks, frame };
  }
}
