import { wordSegmenter } from './words.ts';
import type { Spoken } from './line.ts';
import { exactSpeakingTime } from './speaking-time.ts';

/** Why a text was cut off. */
export type CutOff = NonNullable<Spoken['cutOffBy']>;

/** A sentence whose audio was passed to the peer, at least in part. */
interface Sentence {
  text: string;
  /** 1 is normal. */
  speed: number;
  /** Duration of its audio so far. */
  seconds: number;
  /** Whether all of its audio was passed to the peer. */
  isComplete: boolean;
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

  /** Seconds of its audio that have been played. */
  get playedSeconds(): number {
    return this.#sentences.reduce((total, sentence) => total + this.#playedSecondsOf(sentence), 0);
  }

  /** Adds a sentence; its fields change while it is spoken. */
  add(text: string, speed = 1): Sentence {
    const sentence = {
      text,
      speed,
      seconds: 0,
      isComplete: false,
      startedAt: undefined,
      isPlayed: false,
      pausedSeconds: 0,
    };
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

  /** Estimates how much of the sentences was heard. */
  #estimatePlayed(): string {
    this.resume();
    let played = '';
    for (const sentence of this.#sentences) {
      const { text, startedAt } = sentence;
      if (startedAt === undefined) break;
      const share = this.#playedShare(sentence);
      played += share === 1 ? text : wholeWords(text, Math.floor(text.length * share));
    }
    return played;
  }

  /** Estimates which share of a sentence was played. */
  #playedShare(sentence: Sentence): number {
    const { text, speed, seconds, isComplete } = sentence;
    const played = this.#playedSecondsOf(sentence);
    // More audio may follow, whose duration only the text indicates.
    const duration = isComplete ? seconds : Math.max(seconds, exactSpeakingTime(text, speed));
    return duration === 0 ? 1 : played / duration;
  }

  /** Estimates by time how much of a sentence was played: only its start and end are known. */
  #playedSecondsOf(sentence: Sentence): number {
    const { seconds, startedAt, isPlayed, pausedSeconds } = sentence;
    if (startedAt === undefined) return 0;
    const next = this.#sentences[this.#sentences.indexOf(sentence) + 1];
    if (isPlayed || next?.startedAt !== undefined) return seconds;
    return Math.min(seconds, this.#now() - startedAt - pausedSeconds);
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
