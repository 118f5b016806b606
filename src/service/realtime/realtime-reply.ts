import { Readable } from 'node:stream';
import type { ReplyPart } from '../voice/line.ts';

/** A streamed reply of a realtime model. It spans several responses if the model calls functions. */
export class RealtimeReply {
  /** The reply's text and function calls, in order. Throws the error passed to {@link RealtimeReply.fail}. */
  readonly parts: AsyncIterable<ReplyPart>;
  /** The reply's audio: 16-bit mono samples at the rate of the session. Throws the same error. */
  readonly audio: AsyncIterable<Int16Array>;
  readonly #parts = openQueue();
  readonly #audio = openQueue();
  readonly #items: { id: string; samples: number }[] = [];
  #transcript = '';
  #isStopped = false;

  constructor() {
    this.parts = this.#parts as AsyncIterable<ReplyPart>;
    this.audio = this.#audio as AsyncIterable<Int16Array>;
    // Prevents an uncaught error of a reply that is no longer read.
    for (const queue of [this.#parts, this.#audio]) queue.on('error', () => undefined);
  }

  /** The text so far. */
  get transcript(): string {
    return this.#transcript;
  }

  /** Whether the reply has ended. No further responses are requested for it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  addText(text: string): void {
    if (this.#isStopped || text === '') return;
    this.#transcript += text;
    this.#parts.push({ type: 'text', text } satisfies ReplyPart);
  }

  addCall(part: Extract<ReplyPart, { type: 'function_call' }>): void {
    if (!this.#isStopped) this.#parts.push(part);
  }

  addAudio(itemId: string, samples: Int16Array): void {
    if (this.#isStopped || samples.length === 0) return;
    const last = this.#items.at(-1);
    if (last?.id === itemId) last.samples += samples.length;
    else this.#items.push({ id: itemId, samples: samples.length });
    this.#audio.push(samples);
  }

  /** Returns the session item that plays after `samples`, and the number of samples into it. */
  itemAt(samples: number): { id: string; samples: number } | undefined {
    let before = 0;
    for (const item of this.#items) {
      if (samples < before + item.samples) return { id: item.id, samples: samples - before };
      before += item.samples;
    }
    return undefined;
  }

  end(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#parts.push(null);
    this.#audio.push(null);
  }

  fail(error: Error): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#parts.destroy(error);
    this.#audio.destroy(error);
  }
}

/** Has no backpressure: a session cannot be paused. */
const openQueue = () => new Readable({ objectMode: true, highWaterMark: 0, read: () => undefined });
