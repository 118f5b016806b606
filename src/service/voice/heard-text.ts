import { wordSegmenter } from './count-words.ts';
import type { Spoken } from './line.ts';

/** Why a text was cut off. */
export type CutOff = NonNullable<Spoken['cutOffBy']>;

/** A sentence whose audio was passed to the peer, at least in part. */
interface Sentence {
  text: string;
  /** Duration of its audio. */
  seconds: number;
  /** Time on the line's clock when its playback started; undefined before. */
  startedAt: number | undefined;
  /** Whether all of it has been played. */
  isPlayed: boolean;
  /** Seconds for which it was paused since then. */
  pausedSeconds: number;
}

/** Tracks which part of a text has been heard while it is spoken. */
export class HeardText {
  readonly #now: () => number;
  readonly #sentences: Sentence[] = [];
  readonly #over = Promise.withResolvers<CutOff | undefined>();
  #isOver = false;
  #played: string | undefined;
  #pausedAt: number | undefined;
  #firstPausedAt: number | undefined;

  /** @param now returns the seconds of the line's clock. */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** Resolves when the text has been heard, or with the reason why it was cut off. */
  get over(): Promise<CutOff | undefined> {
    return this.#over.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Whether it can be heard now, rather than waiting for its rest. */
  get isAudible(): boolean {
    return (
      !this.#isOver && this.#sentences.some(({ startedAt, isPlayed }) => startedAt !== undefined && !isPlayed)
    );
  }

  /** Adds a sentence; its fields change while it is spoken. */
  add(text: string): Sentence {
    const sentence = { text, seconds: 0, startedAt: undefined, isPlayed: false, pausedSeconds: 0 };
    this.#sentences.push(sentence);
    return sentence;
  }

  get isPaused(): boolean {
    return this.#pausedAt !== undefined;
  }

  pause(): void {
    this.#pausedAt ??= this.#now();
    this.#firstPausedAt ??= this.#pausedAt;
  }

  resume(): void {
    const current = this.#sentences.findLast(({ startedAt }) => startedAt !== undefined);
    if (current && this.#pausedAt !== undefined) current.pausedSeconds += this.#now() - this.#pausedAt;
    this.#pausedAt = undefined;
  }

  end(): void {
    this.#finish(undefined, this.#sentences.map(({ text }) => text).join(''));
  }

  cutOff(reason: CutOff): void {
    this.#finish(reason, this.#estimatePlayed());
  }

  result(cutOffBy: CutOff | undefined): Spoken {
    return {
      played: this.#played ?? '',
      startedAt: this.#sentences[0]?.startedAt,
      ...(cutOffBy && { cutOffBy }),
      ...(this.#firstPausedAt !== undefined && { pausedAt: this.#firstPausedAt }),
    };
  }

  /** Estimates by time how much of the last started sentence was heard. */
  #estimatePlayed(): string {
    this.resume();
    let played = '';
    for (const [index, { text, seconds, startedAt, pausedSeconds }] of this.#sentences.entries()) {
      if (startedAt === undefined) break;
      const isPast = this.#sentences[index + 1]?.startedAt !== undefined;
      const share = isPast || seconds === 0 ? 1 : (this.#now() - startedAt - pausedSeconds) / seconds;
      played += share >= 1 ? text : wholeWords(text, Math.floor(text.length * share));
    }
    return played;
  }

  #finish(reason: CutOff | undefined, played: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#played = played;
    this.#over.resolve(reason);
  }
}

/** Returns the complete words within the first `length` characters of a text. */
function wholeWords(text: string, length: number): string {
  const next = wordSegmenter.segment(text).containing(length);
  return next && next.index < length ? text.slice(0, next.index).trimEnd() : text.slice(0, length);
}
