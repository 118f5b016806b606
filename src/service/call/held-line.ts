import type { AnsweredBy, Line, LineEvent, Spoken } from '../carrier/carrier.ts';

/** What happens in a call that is held. */
export type CallEvent = LineEvent | { type: 'identified'; by: 'machine' | 'fax' };

/**
 * A line that this process holds. The carrier tells who has answered by a report, which may reach any process, so that
 * does not come with the line's own events: it interrupts whatever the line is doing.
 */
export class HeldLine {
  readonly #line: Line;
  #found: 'machine' | 'fax' | undefined;
  #interruption = new AbortController();

  constructor(line: Line) {
    this.#line = line;
  }

  get now(): number {
    return this.#line.now;
  }

  /** Tells the conversation who has answered. People need no different treatment. */
  identify(by: AnsweredBy): void {
    if (by !== 'machine' && by !== 'fax') return;
    this.#found = by;
    this.#interruption.abort();
  }

  async next(seconds: number, signal: AbortSignal): Promise<CallEvent | undefined> {
    const known = this.#take();
    if (known) return known;
    try {
      return await this.#line.next(seconds, AbortSignal.any([signal, this.#interruption.signal]));
    } catch (error) {
      signal.throwIfAborted();
      const found = this.#take();
      if (found) return found;
      throw error;
    }
  }

  async say(text: AsyncIterable<string>, seconds: number, signal: AbortSignal): Promise<Spoken> {
    const spoken = await this.#line.say(text, seconds, AbortSignal.any([signal, this.#interruption.signal]));
    signal.throwIfAborted();
    return spoken;
  }

  sendDigits(digits: string): Promise<void> {
    return this.#line.sendDigits(digits);
  }

  leave(): Promise<void> {
    return this.#line.leave();
  }

  hangUp(): Promise<void> {
    return this.#line.hangUp();
  }

  #take(): CallEvent | undefined {
    const by = this.#found;
    if (by === undefined) return undefined;
    this.#found = undefined;
    this.#interruption = new AbortController();
    return { type: 'identified', by };
  }
}
