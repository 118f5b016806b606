import { setTimeout as pause } from 'node:timers/promises';
import type { StoredFunctionCall } from '../../db/schema.ts';
import type { ReplyPart } from '../../voice/line.ts';
import { fillerAfterMs } from './choose-filler.ts';

/** Longest reply in UTF-16 code units: more than can be spoken in the longest call. */
const maxReplyLength = 20_000;

/**
 * A reply that is spoken while the model generates it. The model's output is buffered, since speech is slower:
 * otherwise the model's time limit would apply to the speech.
 */
export class BufferedReply {
  readonly functionCalls: StoredFunctionCall[] = [];
  readonly #waiting: string[] = [];
  readonly #stop = new AbortController();
  readonly #filler: string | undefined;
  readonly #ended: Promise<void>;
  #length = 0;
  #isComplete = false;
  #error: Error | undefined;
  #wake = Promise.withResolvers<undefined>();

  /** @param filler said if the model has generated no text after a second. */
  constructor(generate: (stopped: AbortSignal) => AsyncIterable<ReplyPart>, filler?: string) {
    this.#filler = filler;
    this.#ended = this.#read(generate(this.#stop.signal));
  }

  /** Streams the text, up to the end or to an {@link BufferedReply.error}. */
  async *text(): AsyncGenerator<string, undefined> {
    if (this.#filler !== undefined && (await this.#isSlow())) {
      yield `${this.#filler.trim()} `;
      // Makes the line speak the filler at once.
      yield '';
    }
    for (;;) {
      const text = this.#waiting.shift();
      if (text !== undefined) yield text;
      else if (this.#isComplete) return;
      else await this.#wake.promise;
    }
  }

  /** Stops the model. Generated parts are kept. */
  stop(): void {
    this.#stop.abort();
  }

  /** Resolves when the model has stopped and the tools that it has called are done, or when the signal is aborted. */
  async untilEnd(signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<undefined>();
    const abort = () => {
      aborted.resolve(undefined);
    };
    if (signal.aborted) return;
    signal.addEventListener('abort', abort, { once: true });
    await Promise.race([this.#ended, aborted.promise]);
    signal.removeEventListener('abort', abort);
  }

  /** Why the model failed, unless it was stopped before. */
  get error(): Error | undefined {
    return this.#error;
  }

  get hangsUp(): boolean {
    return this.functionCalls.some(({ name }) => name === 'end_call');
  }

  /** The number that the call is transferred to, if any. */
  get transferTo(): string | undefined {
    return this.#resultOf('call_transfer', 'transferred_to').at(-1);
  }

  /** The keys that the assistant presses. */
  get digits(): string {
    return this.#resultOf('dtmf_input', 'sent').join('w');
  }

  async #read(parts: AsyncIterable<ReplyPart>): Promise<void> {
    try {
      for await (const part of parts) {
        if (part.type === 'function_call') this.functionCalls.push(part.call);
        else if (part.text !== '') {
          this.#waiting.push(part.text.slice(0, maxReplyLength - this.#length));
          this.#length += part.text.length;
        }
        this.#notify();
        if (this.#length >= maxReplyLength) break;
      }
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#error = error as Error;
    }
    this.#isComplete = true;
    this.#notify();
  }

  #notify(): void {
    this.#wake.resolve(undefined);
    this.#wake = Promise.withResolvers();
  }

  async #isSlow(): Promise<boolean> {
    const hasText = async () => {
      while (this.#waiting.length === 0 && !this.#isComplete) await this.#wake.promise;
      return false;
    };
    const waited = new AbortController();
    const isLate = pause(fillerAfterMs, true, { signal: waited.signal }).catch(() => true);
    try {
      return await Promise.race([hasText(), isLate]);
    } finally {
      waited.abort();
    }
  }

  #resultOf(name: string, key: string): string[] {
    return this.functionCalls.flatMap((call) => {
      if (call.name !== name || typeof call.result !== 'object' || call.result === null) return [];
      const value = (call.result as Record<string, unknown>)[key];
      return typeof value === 'string' && value !== '' ? [value] : [];
    });
  }
}
