import { Readable } from 'node:stream';
import type { ReplyPart } from '../voice/line.ts';

/** An answer of a realtime model, while it arrives. It takes several responses if the model calls functions. */
export class RealtimeReply {
  /** Its words and the functions that it calls, in order. Throws what {@link RealtimeReply.fail} was given. */
  readonly parts: AsyncIterable<ReplyPart>;
  /** Its sound: 16-bit samples, mono, at the rate of the session. Throws the same. */
  readonly sound: AsyncIterable<Int16Array>;
  readonly #parts = openQueue();
  readonly #sound = openQueue();
  readonly #items: { id: string; samples: number }[] = [];
  #transcript = '';
  #isStopped = false;

  constructor() {
    this.parts = this.#parts as AsyncIterable<ReplyPart>;
    this.sound = this.#sound as AsyncIterable<Int16Array>;
    // A reply that nobody waits for any more may fail.
    for (const queue of [this.#parts, this.#sound]) queue.on('error', () => undefined);
  }

  /** All words so far. */
  get transcript(): string {
    return this.#transcript;
  }

  /** Whether it is no longer wanted, so that nothing more of it may be requested. */
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

  addSound(itemId: string, samples: Int16Array): void {
    if (this.#isStopped || samples.length === 0) return;
    const last = this.#items.at(-1);
    if (last?.id === itemId) last.samples += samples.length;
    else this.#items.push({ id: itemId, samples: samples.length });
    this.#sound.push(samples);
  }

  /** Returns the item of the session that is heard after so many samples, and how many of them are its own. */
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
    this.#sound.push(null);
  }

  fail(error: Error): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#parts.destroy(error);
    this.#sound.destroy(error);
  }
}

/** Items are read as fast as they come, since a session has no other way to hold them back. */
const openQueue = () => new Readable({ objectMode: true, highWaterMark: 0, read: () => undefined });
