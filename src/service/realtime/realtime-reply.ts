import { Readable } from 'node:stream';
import type { ReplyPart } from '../voice/line.ts';

/** The speech of one response: its text so far, and 16-bit mono samples at the rate of the session. */
export interface SpokenResponse {
  text: string;
  audio: AsyncIterable<Int16Array>;
}

/** A piece of the model's conversation, with what it contributed to the reply. */
interface ReplyItem {
  id: string;
  text: string;
  samples: number;
}

/** A streamed reply of a realtime model. It spans several responses if the model calls functions. */
export class RealtimeReply {
  /** The reply's text and function calls, in order. Throws the error passed to {@link RealtimeReply.fail}. */
  readonly parts: AsyncIterable<ReplyPart>;
  /** The speech of each response that has any. Both iterations throw the same error. */
  readonly responses: AsyncIterable<SpokenResponse>;
  readonly #parts = openQueue();
  readonly #responses = openQueue();
  readonly #items: ReplyItem[] = [];
  #response: { text: string; audio: Readable } | undefined;
  #transcript = '';
  #error: Error | undefined;
  #isStopped = false;
  #isRunningTools = false;
  readonly #decided = Promise.withResolvers<undefined>();

  constructor() {
    this.parts = this.#readParts();
    this.responses = this.#responses as AsyncIterable<SpokenResponse>;
  }

  /** The text so far. */
  get transcript(): string {
    return this.#transcript;
  }

  /** The items so far, in their order. */
  get items(): readonly Readonly<ReplyItem>[] {
    return this.#items;
  }

  /** Whether the reply is complete or was stopped. No further responses are requested for it. */
  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Resolves when the reply is accepted or stopped. Its tools must not run before. */
  get decided(): Promise<undefined> {
    return this.#decided.promise;
  }

  /** Called when the reply is about to be spoken, so that its function calls will be recorded. */
  accept(): void {
    this.#decided.resolve(undefined);
  }

  addText(itemId: string, text: string): void {
    if (this.#isStopped || text === '') return;
    const item = this.#item(itemId);
    // A tool may have run since the previous item, which often ends without a space.
    const isGlued = item.text === '' && /\S$/.test(this.#transcript) && /^\S/.test(text);
    const added = isGlued ? ` ${text}` : text;
    item.text += added;
    this.#transcript += added;
    this.#openResponse().text += added;
    this.#parts.push({ type: 'text', text: added } satisfies ReplyPart);
  }

  /** Tools start to run. Their calls can be added even if the reply is stopped meanwhile. */
  startTools(): void {
    this.#isRunningTools = true;
  }

  addCall(part: Extract<ReplyPart, { type: 'function_call' }>): void {
    this.#parts.push(part);
  }

  endTools(): void {
    this.#isRunningTools = false;
  }

  addAudio(itemId: string, samples: Int16Array): void {
    if (this.#isStopped || samples.length === 0) return;
    this.#item(itemId).samples += samples.length;
    this.#openResponse().audio.push(samples);
  }

  /** Called when the model has sent all of a response. */
  endResponse(): void {
    this.#response?.audio.push(null);
    this.#response = undefined;
  }

  /** Ends the speech. The parts end when the tools that are running are done. */
  stop(): void {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.endResponse();
    this.#responses.push(null);
    if (!this.#isRunningTools) this.#parts.push(null);
    this.#decided.resolve(undefined);
  }

  end(): void {
    this.stop();
    this.#parts.push(null);
  }

  fail(error: Error): void {
    if (this.#isStopped) {
      this.end();
      return;
    }
    this.#isStopped = true;
    this.#error = error;
    // Not destroyed: it may still contain function calls.
    this.#parts.push(null);
    for (const queue of [this.#response?.audio, this.#responses]) queue?.destroy(error);
  }

  async *#readParts(): AsyncGenerator<ReplyPart, undefined> {
    yield* this.#parts as AsyncIterable<ReplyPart>;
    if (this.#error) throw this.#error;
  }

  #item(id: string): ReplyItem {
    const known = this.#items.find((item) => item.id === id);
    if (known) return known;
    const item = { id, text: '', samples: 0 };
    this.#items.push(item);
    return item;
  }

  #openResponse(): { text: string; audio: Readable } {
    if (this.#response) return this.#response;
    const response = { text: '', audio: openQueue() };
    this.#response = response;
    this.#responses.push(response);
    return response;
  }
}

/** Has no backpressure: a session cannot be paused. */
function openQueue(): Readable {
  const queue = new Readable({ objectMode: true, highWaterMark: 0, read: () => undefined });
  // Prevents an uncaught error of a reply that is no longer read.
  queue.on('error', () => undefined);
  return queue;
}
