import type { RealtimeReply } from './realtime-reply.ts';

/** Receives the model's events about the customer. */
export interface CustomerSpeechListener {
  /** The customer has started to speak. */
  onSpeech(): void;
  /** The customer has paused for long enough. */
  onPause(): void;
  /** Whether the model may answer at once, before the transcript is known. */
  canAnswerNow(): boolean;
  /**
   * The customer's utterance, which took `seconds`, was transcribed.
   *
   * @returns false if the utterance is ignored.
   */
  onTranscript(text: string, seconds: number): boolean;
  /** The session has ended. */
  onClosed(): void;
}

/** A spoken utterance of the customer. Times are milliseconds of the customer's audio. */
export interface Turn {
  readonly itemId: string;
  readonly startMs: number;
  /** Undefined while the customer speaks. */
  endMs: number | undefined;
  said: string | undefined;
  /** Whether the listener has its transcript, or was told that there is none. */
  isReported: boolean;
  /** The model's reply, if it was requested before the transcript was known. */
  reply: RealtimeReply | undefined;
}

export const secondsOf = ({ startMs, endMs = startMs }: Turn): number => Math.max(0, endMs - startMs) / 1000;

/** Longest wait for the transcript of a turn that has ended. Some models send none for noise. */
export const transcriptMs = 5000;

/** The customer's turns that are not answered yet, in their order. */
export class CustomerTurns {
  readonly #listener: CustomerSpeechListener;
  readonly #now: () => number;
  readonly #onIgnored: (turn: Turn) => void;
  #turns: Turn[] = [];
  /** Resolves when all turns are settled. */
  #waiting: PromiseWithResolvers<undefined> | undefined;

  /**
   * @param now returns the time, in milliseconds of the customer's audio
   * @param onIgnored called for a turn that the listener ignores: noise, or too little to interrupt
   */
  constructor(listener: CustomerSpeechListener, now: () => number, onIgnored: (turn: Turn) => void) {
    this.#listener = listener;
    this.#now = now;
    this.#onIgnored = onIgnored;
  }

  /** Whether the customer speaks, or has said something whose transcript is not known yet. */
  get isUnsettled(): boolean {
    return !this.#turns.every((turn) => this.#isSettled(turn));
  }

  /** The turn in which the customer speaks now. */
  get inProgress(): Turn | undefined {
    return this.#turns.find(({ endMs }) => endMs === undefined);
  }

  /** The replies that the model was asked for before the words were known. */
  get replies(): readonly RealtimeReply[] {
    return repliesTo(this.#turns);
  }

  find(itemId: string): Turn | undefined {
    return this.#turns.find((turn) => turn.itemId === itemId);
  }

  /** The first turn with these words. */
  saidAs(said: string): Turn | undefined {
    return this.#turns.find((turn) => turn.said === said);
  }

  /** The customer has started to speak. */
  start(itemId: string, startMs: number): void {
    // Not every server reports the end of each turn.
    for (const turn of this.#turns) turn.endMs ??= startMs;
    this.#turns.push({
      itemId,
      startMs,
      endMs: undefined,
      said: undefined,
      isReported: false,
      reply: undefined,
    });
    this.#listener.onSpeech();
  }

  /** The customer has paused. Not every server reports this itself; the first event that implies it counts. */
  end(turn: Turn, endMs = this.#now()): void {
    if (turn.endMs !== undefined) return;
    turn.endMs = endMs;
    this.#listener.onPause();
  }

  /** A turn was transcribed. */
  transcribe(turn: Turn, said: string): void {
    this.end(turn);
    turn.said = said;
    // It is too late to keep the order.
    if (turn.isReported) this.#report(turn);
    else this.report();
    if (!this.isUnsettled) this.stopWaiting();
  }

  /** Reports turns in their order: a service may transcribe a short turn before an earlier, longer one. */
  report(): void {
    for (const turn of [...this.#turns]) {
      if (turn.isReported) continue;
      if (!this.#isSettled(turn)) return;
      this.#report(turn);
    }
  }

  /**
   * Removes the turns up to the answered one. Those without a transcript are kept.
   *
   * @returns the replies to earlier turns, which are too late
   */
  removeUntil(answered: Turn): readonly RealtimeReply[] {
    return this.#removeUntil(this.#turns.indexOf(answered));
  }

  /** Removes all turns, as {@link removeUntil} does. */
  removeAll(): readonly RealtimeReply[] {
    return this.#removeUntil(this.#turns.length);
  }

  /** The reply was stopped before anybody heard it. */
  forgetReply(reply: RealtimeReply): void {
    for (const turn of this.#turns) if (turn.reply === reply) turn.reply = undefined;
  }

  /** Resolves when all turns are settled, or after `stopWaiting`. */
  untilSettled(): Promise<undefined> {
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  stopWaiting(): void {
    this.#waiting?.resolve(undefined);
  }

  #removeUntil(position: number): readonly RealtimeReply[] {
    const late = repliesTo(this.#turns.slice(0, position));
    this.#turns = this.#turns.filter(
      (turn, index) => index > position || turn.said === undefined || !turn.isReported,
    );
    return late;
  }

  #report(turn: Turn): void {
    turn.isReported = true;
    const isCounted = this.#listener.onTranscript(turn.said ?? '', secondsOf(turn));
    if (isCounted || turn.said === undefined) return;
    this.#turns = this.#turns.filter((other) => other !== turn);
    this.#onIgnored(turn);
  }

  /** Whether the transcript of a turn is known, or no longer expected. */
  #isSettled({ said, endMs = Infinity }: Turn): boolean {
    return said !== undefined || this.#now() - endMs > transcriptMs;
  }
}

const repliesTo = (turns: readonly Turn[]) => turns.flatMap(({ reply }) => reply ?? []);
