import type { Logger } from 'pino';
import { VisitorAudioQueue } from './visitor-audio-queue.ts';

/** Receives the audio of a call, 50 times a second. */
export interface CallAudioListener {
  /** Receives the visitor's audio as it arrives. */
  onVisitorAudio(samples: Int16Array): void;
  /**
   * Receives the next 20 ms of the assistant's audio as they are played; undefined means silence.
   *
   * @param skipped number of frames dropped before this one because the process was busy.
   */
  onPlayed(frame: Int16Array | undefined, skipped: number): void;
}

/** The audio of a call, as the source of a recording. */
export interface CallAudio {
  /** Samples per second. */
  readonly rate: number;
  listen(listener: CallAudioListener): void;
}

/** A part of a recording, with the same number of samples for both sides. */
export interface AudioChunk {
  /** Index of its first sample since the recorder started. */
  first: number;
  visitor: Int16Array;
  assistant: Int16Array;
}

/** Duration of a chunk in seconds. At most one chunk is lost if the process dies. */
export const chunkSeconds = 5;
/** Maximum number of chunks in memory while they cannot be stored. */
const maxUnstoredChunks = 12;

/**
 * Records both sides of a call in chunks, which are stored during the call (`recording-as-wav.ts` reads them). The assistant's side contains the played
 * frames and sets the pace.
 */
export class AudioRecorder implements CallAudioListener {
  readonly #store: (chunk: AudioChunk) => Promise<boolean>;
  readonly #log: Logger;
  readonly #visitorAudio: VisitorAudioQueue;
  readonly #frameLength: number;
  readonly #chunkLength: number;
  #chunk: AudioChunk;
  #filled = 0;
  readonly #unstored: AudioChunk[] = [];
  #storing: Promise<void> | undefined;
  #isOver = false;

  /** @param store resolves to false if the recording must end. */
  constructor(rate: number, store: (chunk: AudioChunk) => Promise<boolean>, log: Logger) {
    this.#store = store;
    this.#log = log;
    this.#visitorAudio = new VisitorAudioQueue(rate);
    this.#frameLength = rate / 50;
    this.#chunkLength = rate * chunkSeconds;
    this.#chunk = this.#chunkFrom(0);
  }

  onVisitorAudio(samples: Int16Array): void {
    if (!this.#isOver) this.#visitorAudio.add(samples);
  }

  onPlayed(frame: Int16Array | undefined, skipped: number): void {
    for (let left = skipped; left > 0 && !this.#isOver; left--) this.#append(undefined);
    if (!this.#isOver) this.#append(frame);
  }

  /**
   * Ends the recording. Resolves when it is stored, or this process no longer owns the call.
   *
   * @throws the error of the database. The rest is then stored by another call of this method.
   */
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
    const visitorSamples = this.#visitorAudio.take(this.#frameLength);
    if (visitorSamples) this.#chunk.visitor.set(visitorSamples, this.#filled);
    if (played) this.#chunk.assistant.set(played, this.#filled);
    this.#filled += this.#frameLength;
    if (this.#filled < this.#chunkLength) return;
    this.#unstored.push(this.#chunk);
    this.#chunk = this.#chunkFrom(this.#chunk.first + this.#filled);
    this.#filled = 0;
    if (this.#unstored.length > maxUnstoredChunks) {
      this.#unstored.shift();
      this.#log.error('a part of a recording is lost: the database has not stored it for a minute');
    }
    this.#storing ??= this.#storeAll()
      .catch((error: unknown) => {
        // Stored with the next part; the call continues meanwhile.
        this.#log.warn({ err: error }, 'a part of a recording was not stored');
      })
      .finally(() => {
        this.#storing = undefined;
      });
  }

  #chunkFrom(first: number): AudioChunk {
    const silence = () => new Int16Array(this.#chunkLength);
    return { first, visitor: silence(), assistant: silence() };
  }

  /** Stores all pending chunks. */
  async #storeAll(): Promise<void> {
    for (let [chunk] = this.#unstored; chunk; [chunk] = this.#unstored) {
      if (!(await this.#store(chunk))) {
        this.#isOver = true;
        this.#unstored.length = 0;
        return;
      }
      // The oldest chunk may have been dropped meanwhile.
      if (this.#unstored[0] === chunk) this.#unstored.shift();
    }
  }
}
