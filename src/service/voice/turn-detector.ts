import { ActivityDetector } from './activity-detector.ts';
import type { SpeechDetector } from './voice-module.ts';

/** Something that the customer says, while or after it is said. */
export interface Utterance {
  /** With a moment before the speech, and the pause at its end. */
  samples: Int16Array;
  /** From the first to the last speech. */
  seconds: number;
  /** Seconds since the last speech. */
  pause: number;
}

/**
 * The customer continues to speak, has paused, so that this may be all they say, or has paused for long enough. After
 * `paused` follows `ended`, unless they continue.
 */
export type TurnEvent = { type: 'speaking' | 'paused' | 'ended'; utterance: () => Utterance };

export interface TurnSettings {
  /** Seconds of pause that end what the customer says. */
  pause: number;
  /** Seconds of speech that are needed; less is a noise. */
  shortest: number;
}

/** Kept from before the first speech, since words begin quietly. */
const leadSeconds = 0.3;
/** Silence after which the end is likely: breaths and the gaps between words are shorter. */
const shortPause = 0.3;
/** Longer speech is divided. */
const longestSeconds = 60;

/** Divides the sound of a line into what the customer says. */
export class TurnDetector {
  readonly #rate: number;
  readonly #settings: TurnSettings;
  readonly #activity: SpeechDetector;
  #chunks: Int16Array[] = [];
  #length = 0;
  #voicedFrames = 0;
  #framesSinceStart = 0;
  #silentFrames = 0;
  #hasPaused = false;

  /** @param detector decides which sound is speech. */
  constructor(rate: number, settings: TurnSettings, detector: SpeechDetector = new ActivityDetector(rate)) {
    this.#rate = rate;
    this.#settings = settings;
    this.#activity = detector;
  }

  /** Takes the next samples, and returns what they change. */
  detect(samples: Int16Array): TurnEvent | undefined {
    this.#chunks.push(samples);
    this.#length += samples.length;
    let wasSpeech = false;
    for (const isSpeech of this.#activity.detect(samples)) {
      wasSpeech ||= isSpeech;
      if (isSpeech) this.#voicedFrames += 1;
      if (this.#voicedFrames > 0) this.#framesSinceStart += 1;
      this.#silentFrames = isSpeech ? 0 : this.#silentFrames + 1;
    }
    if (this.#voicedFrames === 0) {
      this.#keepLast(leadSeconds);
      return undefined;
    }
    const hasEnded = this.silentSeconds >= this.#settings.pause;
    const isSpeech = this.voicedSeconds >= this.#settings.shortest;
    if (hasEnded || this.#framesSinceStart * this.#activity.frameSeconds >= longestSeconds) return this.end();
    if (!isSpeech) return undefined;
    const utterance = () => this.#utterance();
    if (wasSpeech) {
      this.#hasPaused = false;
      return { type: 'speaking', utterance };
    }
    if (this.#hasPaused || this.silentSeconds < shortPause) return undefined;
    this.#hasPaused = true;
    return { type: 'paused', utterance };
  }

  /** Speech in what the customer is saying, without pauses. */
  get voicedSeconds(): number {
    return this.#voicedFrames * this.#activity.frameSeconds;
  }

  /** Time since the customer's last speech. */
  get silentSeconds(): number {
    return this.#silentFrames * this.#activity.frameSeconds;
  }

  /** Ends what the customer is saying without a pause, if it is speech. */
  end(): TurnEvent | undefined {
    const isSpeech = this.voicedSeconds >= this.#settings.shortest;
    const utterance = this.#utterance();
    this.reset();
    return isSpeech ? { type: 'ended', utterance: () => utterance } : undefined;
  }

  /** Forgets what the customer has said so far. */
  reset(): void {
    this.#voicedFrames = this.#framesSinceStart = this.#silentFrames = 0;
    this.#hasPaused = false;
    this.#keepLast(leadSeconds);
  }

  /** Releases the detector. */
  close(): void {
    this.#activity.close?.();
  }

  #utterance(): Utterance {
    const samples = new Int16Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      samples.set(chunk, at);
      at += chunk.length;
    }
    return {
      samples,
      seconds: (this.#framesSinceStart - this.#silentFrames) * this.#activity.frameSeconds,
      pause: this.silentSeconds,
    };
  }

  #keepLast(seconds: number): void {
    for (;;) {
      const first = this.#chunks[0];
      if (!first || this.#length - first.length < seconds * this.#rate) return;
      this.#chunks.shift();
      this.#length -= first.length;
    }
  }
}
