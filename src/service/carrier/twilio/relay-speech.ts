import type { CutOff } from '../../voice/heard-text.ts';
import type { Spoken } from '../../voice/line.ts';
import { exactSpeakingTime, speakingTime } from '../../voice/speaking-time.ts';
import { beginningOf, playedUntil, spokenLength } from './played-text.ts';

/** Seconds from the first token to the first audio, used if the carrier does not report it. */
const synthesisSeconds = 0.3;
/** Seconds within which the carrier continues after a pause between two sentences. */
const pauseSeconds = 1.5;

/**
 * A text that the relay is speaking. The relay accepts text at once and speaks it later, so this tracks the speech: by
 * the relay's reports if there are any, by estimated time otherwise.
 */
export class RelaySpeech {
  readonly #now: () => number;
  readonly #speed: number;
  readonly #ended = Promise.withResolvers<CutOff | undefined>();
  #sent = '';
  #isSent = false;
  #startedAt: number | undefined;
  /** Number of letters and digits that were reported as played. */
  #playedLength = 0;
  #isReported = false;
  #isPlaying = false;
  /** Estimated time of the end of the speech. */
  #endsAt = 0;
  #pausedAt = 0;
  #playedText: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  /** @param now returns the seconds of the line's clock. */
  constructor(now: () => number, speed: number) {
    this.#now = now;
    this.#speed = speed;
  }

  /** Resolves when the text has been heard, or with the reason why it was cut off. */
  get ended(): Promise<CutOff | undefined> {
    return this.#ended.promise;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get hasText(): boolean {
    return this.#sent !== '';
  }

  /** Whether the relay is waiting for more text. */
  get isOpen(): boolean {
    return this.hasText && !this.#isSent;
  }

  result(cutOffBy: CutOff | undefined): Spoken {
    return {
      played: this.#playedText ?? this.#sent,
      startedAt: this.#startedAt,
      ...(cutOffBy && { cutOffBy }),
    };
  }

  sendToken(token: string): void {
    this.#sent += token;
    const start = Math.max(this.#endsAt, this.#now() + (this.#isPlaying ? 0 : synthesisSeconds));
    this.#endsAt = start + exactSpeakingTime(token, this.#speed);
  }

  /** The whole text was sent. */
  sendEnd(): void {
    this.#isSent = true;
    if (this.#sent.trim() === '') this.#finish(undefined);
    else this.#check();
  }

  started(): void {
    this.#isReported = true;
    this.#isPlaying = true;
    this.#startedAt ??= this.#now();
  }

  stopped(): void {
    this.#isPlaying = false;
    this.#pausedAt = this.#now();
    this.#check();
  }

  playedToken(text: string): void {
    this.#isReported = true;
    this.#startedAt ??= this.#now();
    this.#playedLength = Math.min(this.#playedLength + spokenLength(text), spokenLength(this.#sent));
    const rest = this.#sent.slice(beginningOf(this.#sent, this.#playedLength).length);
    // The voice may be slower than estimated.
    this.#endsAt = Math.max(this.#endsAt, this.#now() + exactSpeakingTime(rest, this.#speed));
    this.#check();
  }

  interrupted(utterance: string): void {
    this.#playedText = playedUntil(this.#sent, utterance, this.#playedLength);
    if (this.#playedText !== '') this.#startedAt ??= this.#now();
    this.#finish('customer');
  }

  /** Ends the speech at its current position. */
  cutOff(reason: CutOff): void {
    if (this.#isOver) return;
    this.#playedText = this.#estimatePlayed();
    this.#finish(reason);
  }

  #estimatePlayed(): string {
    if (this.#playedLength > 0 || this.#isReported) return beginningOf(this.#sent, this.#playedLength);
    const left = Math.max(0, this.#endsAt - this.#now());
    const share = 1 - left / speakingTime(this.#sent, this.#speed);
    return beginningOf(this.#sent, Math.round(spokenLength(this.#sent) * share));
  }

  /** Ends the speech if all of it has been heard; otherwise checks again at its latest possible end. */
  #check(): void {
    if (this.#isOver || !this.#isSent) return;
    const wasAllPlayed = this.#playedLength > 0 && this.#playedLength >= spokenLength(this.#sent);
    if (this.#isReported && !this.#isPlaying && wasAllPlayed) {
      this.#finish(undefined);
      return;
    }
    const left = this.#latestEnd() - this.#now();
    if (left <= 0) {
      this.#finish(undefined);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#check();
    }, left * 1000);
  }

  /** Reports can be lost or differ from the text, so the wait for them is limited. */
  #latestEnd(): number {
    if (!this.#isReported) return this.#endsAt;
    const needed = this.#endsAt - (this.#startedAt ?? 0);
    if (this.#isPlaying) return this.#endsAt + Math.max(3, needed / 2);
    const isCounted = this.#playedLength > 0;
    return isCounted ? Math.max(this.#endsAt, this.#pausedAt + pauseSeconds) : this.#pausedAt + pauseSeconds;
  }

  #finish(reason: CutOff | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    // Without reports, speech that was heard began soon after the first token.
    if (this.#startedAt === undefined && this.#sent.trim() !== '' && this.#playedText !== '') {
      const spoken = exactSpeakingTime(this.#sent, this.#speed);
      this.#startedAt = Math.max(0, Math.min(this.#now(), this.#endsAt - spoken));
    }
    this.#ended.resolve(reason);
  }
}
