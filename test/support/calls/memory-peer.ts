import type { AudioListener, AudioPeer } from '../../../src/service/voice/audio-peer.ts';

/**
 * An audio peer in memory. It plays audio immediately or, if it is paced, when the test calls {@link advance}. If it is
 * not paced, time passes only while one side speaks.
 */
export class MemoryPeer implements AudioPeer {
  readonly rate: number;
  flushes = 0;
  /** Number of samples that the service has sent. */
  played = 0;
  /** If paced: all played samples, with zeros for silence. */
  readonly playedSamples: number[] = [];
  /** Index of the first mark that waits for {@link releaseMarks}. */
  holdMarksFrom = Infinity;
  onPlayed?: ((frame: Int16Array | undefined, skipped: number) => void) | undefined;
  isPaused = false;
  readonly held = Promise.withResolvers<undefined>();
  readonly #isPaced: boolean;
  readonly #waiting: string[] = [];
  /** If not paced: the audio after a held mark. */
  #queue: (Int16Array | string)[] = [];
  #marks = 0;
  #listener: AudioListener | undefined;

  constructor(rate: number, { isPaced = false } = {}) {
    this.rate = rate;
    this.#isPaced = isPaced;
  }

  open(listener: AudioListener): void {
    this.#listener = listener;
  }

  receive(samples: ArrayLike<number>): void {
    const sound = Int16Array.from(samples);
    const frame = this.rate / 50;
    for (let at = 0; at < sound.length; at += frame) {
      this.#listener?.onAudio(sound.subarray(at, at + frame));
      this.onPlayed?.(undefined, 0);
    }
  }

  /** Lets time pass without received audio. */
  wait(seconds: number): void {
    for (let left = Math.round(seconds * 50); left > 0; left--) this.onPlayed?.(undefined, 0);
  }

  play(samples: Int16Array): void {
    this.played += samples.length;
    if (this.#isPaced || this.#waiting.length > 0) this.#queue.push(samples);
    else this.#emit(samples);
  }

  mark(id: string): void {
    if (this.#isPaced) {
      this.#queue.push(id);
    } else if (this.#marks++ >= this.holdMarksFrom) {
      this.#waiting.push(id);
      this.held.resolve(undefined);
    } else {
      queueMicrotask(() => this.#listener?.onMark(id));
    }
  }

  /** Plays on, without holding further marks. */
  releaseMarks(): void {
    this.holdMarksFrom = Infinity;
    for (const sound of this.#queue.splice(0)) if (typeof sound !== 'string') this.#emit(sound);
    for (const id of this.#waiting.splice(0)) this.#listener?.onMark(id);
  }

  /** If paced: plays a number of seconds, and returns the samples. */
  advance(seconds: number): number[] {
    const start = this.playedSamples.length;
    const end = start + Math.round(seconds * this.rate);
    while (this.playedSamples.length < end) {
      const entry = this.isPaused ? undefined : this.#queue.shift();
      if (entry === undefined) {
        this.playedSamples.push(0);
      } else if (typeof entry === 'string') {
        this.#listener?.onMark(entry);
      } else {
        const part = entry.subarray(0, end - this.playedSamples.length);
        this.playedSamples.push(...part);
        if (part.length < entry.length) this.#queue.unshift(entry.subarray(part.length));
      }
    }
    return this.playedSamples.slice(start);
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  flush(): void {
    this.flushes++;
    this.isPaused = false;
    this.#queue = [];
    this.#waiting.length = 0;
  }

  #emit(samples: Int16Array): void {
    const frame = this.rate / 50;
    for (let at = 0; at < samples.length; at += frame) this.onPlayed?.(samples.subarray(at, at + frame), 0);
  }

  close(): void {
    this.#listener?.onClosed();
  }
}
