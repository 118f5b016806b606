import type { AnsweredBy } from '../../carrier/carrier.ts';
import type { HangUpReason, Line, LineEvent, Spoken } from '../../voice/line.ts';
import type { Speaker, SpeakerOptions } from '../../voice/line.ts';

/** An event of a call. */
export type CallEvent = LineEvent | { type: 'identified'; by: 'machine' | 'fax' };

/** An utterance of the customer, which ended at `endedAt` on the line's clock. */
export type Said = Omit<Extract<CallEvent, { type: 'said' }>, 'type'>;

/**
 * The line of a call whose lease this process holds. The carrier reports who answered to any process, so this is not one
 * of the line's own events: it interrupts the line's current operation.
 */
export class LeasedLine {
  /** The owner of the call's lease. */
  readonly owner: string;
  readonly #line: Line;
  #detected: 'machine' | 'fax' | undefined;
  #isIdentified = false;
  #interruption = new AbortController();

  constructor(line: Line, owner: string) {
    this.#line = line;
    this.owner = owner;
  }

  /** The speaker of the line's own model, if it has one. */
  openSpeaker(options: SpeakerOptions): Promise<Speaker> | undefined {
    return this.#line.openSpeaker?.(options);
  }

  get now(): number {
    return this.#line.now;
  }

  get customerSpokeAt(): number | undefined {
    return this.#line.customerSpokeAt;
  }

  get hasEnded(): boolean {
    return this.#line.hasEnded;
  }

  /** Notifies the conversation that a machine or a fax answered. Repeated reports are ignored. */
  identify(by: AnsweredBy): void {
    if (this.#isIdentified || (by !== 'machine' && by !== 'fax')) return;
    this.#isIdentified = true;
    this.#detected = by;
    this.#interruption.abort();
  }

  /** Sets who answered before the conversation starts, so that later reports are ignored. */
  markIdentified(by: AnsweredBy): void {
    if (by !== 'machine' && by !== 'fax') return;
    this.#isIdentified = true;
    this.#take();
  }

  async next(seconds: number, signal: AbortSignal): Promise<CallEvent | undefined> {
    const known = this.#take();
    if (known) return known;
    try {
      return await this.#line.next(seconds, AbortSignal.any([signal, this.#interruption.signal]));
    } catch (error) {
      signal.throwIfAborted();
      const detected = this.#take();
      if (detected) return detected;
      throw error;
    }
  }

  /**
   * @param cutOff only cuts the text off.
   * @returns with the reason of `signal` as the error if it is aborted by the end.
   * @throws the reason of `signal` if it is already aborted.
   */
  async say(
    text: AsyncIterable<string>,
    seconds: number,
    signal: AbortSignal,
    cutOff: AbortSignal,
  ): Promise<Spoken> {
    signal.throwIfAborted();
    const stopped = AbortSignal.any([this.#interruption.signal, cutOff]);
    if (stopped.aborted) return { played: '', startedAt: undefined, cutOffBy: 'signal' };
    const spoken = await this.#line.say(text, seconds, AbortSignal.any([signal, stopped]));
    return signal.aborted ? { ...spoken, error: signal.reason as Error } : spoken;
  }

  /**
   * Runs an action at a time on the line's clock, unless the line has ended by then.
   *
   * @returns a function that cancels it.
   */
  at(time: number, action: () => Promise<void>): () => void {
    const line = this.#line;
    if (line.at) return line.at(time, action);
    const timer = setTimeout(
      () => {
        if (!line.hasEnded) void action();
      },
      (time - line.now) * 1000,
    );
    return () => {
      clearTimeout(timer);
    };
  }

  sendDigits(digits: string): Promise<void> {
    return this.#line.sendDigits(digits);
  }

  leave(): Promise<void> {
    return this.#line.leave();
  }

  hangUp(reason?: HangUpReason): Promise<void> {
    return this.#line.hangUp(reason);
  }

  #take(): CallEvent | undefined {
    const by = this.#detected;
    if (by === undefined) return undefined;
    this.#detected = undefined;
    this.#interruption = new AbortController();
    return { type: 'identified', by };
  }
}
