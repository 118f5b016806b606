import type { Logger } from 'pino';
import { HeardQueue } from './heard-queue.ts';

/** Receives the sound of a call, 50 times a second. */
export interface SoundListener {
  /** The visitor's sound, as it arrives. */
  onHeard(samples: Int16Array): void;
  /**
   * The next 20 ms of the assistant's sound were played; undefined: silence.
   *
   * @param skipped frames before them that were left out because the process was busy.
   */
  onPlayed(frame: Int16Array | undefined, skipped: number): void;
}

/** The sound of a call, for a recording. */
export interface CallSound {
  /** Samples a second. */
  readonly rate: number;
  listen(listener: SoundListener): void;
}

/** A part of a recording: as many samples of each side. */
export interface SoundChunk {
  /** Index of its first sample since the recorder began. */
  first: number;
  visitor: Int16Array;
  assistant: Int16Array;
}

/** Seconds in a chunk: what is lost if the process dies. */
export const chunkSeconds = 5;
/** Chunks that are kept in memory while they cannot be stored. */
const mostUnstored = 12;

/**
 * Records both sides of a call, in chunks that are stored while it goes on. The assistant's side is what was played,
 * and gives the pace.
 */
export class SoundRecorder implements SoundListener {
  readonly #store: (chunk: SoundChunk) => Promise<boolean>;
  readonly #log: Logger;
  readonly #heard: HeardQueue;
  readonly #frameLength: number;
  readonly #chunkLength: number;
  #chunk: SoundChunk;
  #filled = 0;
  readonly #unstored: SoundChunk[] = [];
  #storing: Promise<void> | undefined;
  #isOver = false;

  /** @param store resolves to false if the recording must end. */
  constructor(rate: number, store: (chunk: SoundChunk) => Promise<boolean>, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#heard = new HeardQueue(rate);
    this.#frameLength = rate / 50;
    this.#chunkLength = rate * chunkSeconds;
    this.#chunk = this.#chunkFrom(0);
  }

  onHeard(samples: Int16Array): void {
    if (!this.#isOver) this.#heard.add(samples);
  }

  onPlayed(frame: Int16Array | undefined, skipped: number): void {
    for (let left = skipped; left > 0 && !this.#isOver; left--) this.#append(undefined);
    if (!this.#isOver) this.#append(frame);
  }

  /** Ends the recording. Resolves when it is stored, or cannot be. */
  async finish(): Promise<void> {
    if (!this.#isOver) {
      this.#isOver = true;
      const { first, visitor, assistant } = this.#chunk;
      if (this.#filled > 0) {
        const end = this.#filled;
        this.#unstored.push({
          first,
          visitor: visitor.subarray(0, end),
          assistant: assistant.subarray(0, end),
        });
      }
    }
    await this.#storing;
    await this.#storeAll();
  }

  #append(played: Int16Array | undefined): void {
    const heard = this.#heard.take(this.#frameLength);
    if (heard) this.#chunk.visitor.set(heard, this.#filled);
    if (played) this.#chunk.assistant.set(played, this.#filled);
    this.#filled += this.#frameLength;
    if (this.#filled < this.#chunkLength) return;
    this.#unstored.push(this.#chunk);
    this.#chunk = this.#chunkFrom(this.#chunk.first + this.#filled);
    this.#filled = 0;
    if (this.#unstored.length > mostUnstored) {
      this.#unstored.shift();
      this.#log.error('a part of a recording is lost: the database has not stored it for a minute');
    }
    this.#storing ??= this.#storeAll().finally(() => {
      this.#storing = undefined;
    });
  }

  #chunkFrom(first: number): SoundChunk {
    const silence = () => new Int16Array(this.#chunkLength);
    return { first, visitor: silence(), assistant: silence() };
  }

  /** What cannot be stored now is tried again with the next chunk. A call continues without its recording. */
  async #storeAll(): Promise<void> {
    try {
      for (let [chunk] = this.#unstored; chunk; [chunk] = this.#unstored) {
        if (!(await this.#store(chunk))) {
          this.#isOver = true;
          this.#unstored.length = 0;
          return;
        }
        // The oldest one may have been given up meanwhile.
        if (this.#unstored[0] === chunk) this.#unstored.shift();
      }
    } catch (error) {
      this.#log.warn({ err: error }, 'a part of a recording was not stored');
    }
  }
}
