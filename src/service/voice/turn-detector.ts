import { LoudnessDetector } from './loudness-detector.ts';
import type { SpeechDetector } from './voice-module.ts';

/** An utterance of the customer, finished or not. */
export interface Utterance {
  /** Includes a short lead-in before the speech and the pause after it. */
  samples: Int16Array;
  /** From the first to the last speech frame. */
  seconds: number;
  /** Seconds of speech, without pauses. */
  voicedSeconds: number;
  /** Seconds since the last speech frame. */
  pause: number;
}

/**
 * The customer continues to speak, has paused, so that this may be all they say, or has paused for long enough. After
 * `paused` follows `ended`, unless they continue.
 */
export type TurnEvent = { type: 'speaking' | 'paused' | 'ended'; utterance: () => Utterance };

export interface TurnSettings {
  /** Seconds of silence that end an utterance. */
  pause: number;
  /** Minimum seconds of speech; shorter sounds are noise. */
  shortest: number;
}

/** Returns the seconds of silence that end an utterance, for an `endpoint_sensitivity` from 0 to 1. */
export const turnPause = (sensitivity: number): number => 1.4 - Math.max(0, Math.min(1, sensitivity));

/** Lead-in kept from before the first speech frame, since words start quietly. */
const leadSeconds = 0.3;
/** Silence after which the end is likely: breaths and the gaps between words are shorter. */
const shortPause = 0.3;
/** Longer speech is divided. */
const longestSeconds = 60;

/** Splits the audio of a line into the customer's utterances. */
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

  /** @param detector decides which frames are speech. */
  constructor(rate: number, settings: TurnSettings, detector: SpeechDetector = new LoudnessDetector(rate)) {
    this.#rate = rate;
    this.#settings = settings;
    this.#activity = detector;
  }

  /**
   * Processes the next samples. Returns the resulting event, if any.
   *
   * @param maySpeak false if the samples cannot be the customer's speech.
   */
  detect(samples: Int16Array, maySpeak = true): TurnEvent | undefined {
    this.#chunks.push(samples);
    this.#length += samples.length;
    let wasSpeech = false;
    for (const isDetected of this.#activity.detect(samples)) {
      const isSpeech = isDetected && maySpeak;
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

  /** Seconds of speech in the current utterance, without pauses. */
  get voicedSeconds(): number {
    return this.#voicedFrames * this.#activity.frameSeconds;
  }

  /** Seconds since the last speech frame. */
  get silentSeconds(): number {
    return this.#silentFrames * this.#activity.frameSeconds;
  }

  /** Ends the current utterance without waiting for a pause. Returns undefined if it is only noise. */
  end(): TurnEvent | undefined {
    const isSpeech = this.voicedSeconds >= this.#settings.shortest;
    const utterance = this.#utterance();
    // The lead-in of the next utterance does not repeat words of this one.
    this.#keepLast(isSpeech ? Math.min(leadSeconds, this.silentSeconds) : leadSeconds);
    this.#voicedFrames = this.#framesSinceStart = this.#silentFrames = 0;
    this.#hasPaused = false;
    return isSpeech ? { type: 'ended', utterance: () => utterance } : undefined;
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
      voicedSeconds: this.voicedSeconds,
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
