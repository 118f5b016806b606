import type { SpeechDetector } from './voice-module.ts';

const frameSeconds = 0.02;
/** Decibels above the noise at which sound counts as speech. */
const margin = 10;
/** Minimum level of speech, and maximum noise floor (decibels relative to full scale). */
const quietest = -48;
const loudestNoise = -28;
/** Decibels per frame by which the noise floor follows a louder line: 4 dB a second. */
const rise = 0.08;
/** Decibels per frame by which it follows a quieter line. */
const fall = 1;

/**
 * Detects speech by loudness. The noise floor adapts to the line, so constant noise counts as silence within seconds.
 */
export class LoudnessDetector implements SpeechDetector {
  readonly frameSeconds = frameSeconds;
  readonly #frameLength: number;
  #pending: number[] = [];
  #noise = -60;

  constructor(rate: number) {
    this.#frameLength = Math.round(rate * frameSeconds);
  }

  /** Returns for each complete frame of 20 ms whether it is speech. */
  detect(samples: Int16Array): boolean[] {
    const frames: boolean[] = [];
    for (const sample of samples) {
      this.#pending.push(sample);
      if (this.#pending.length < this.#frameLength) continue;
      frames.push(this.#isSpeech(level(this.#pending)));
      this.#pending = [];
    }
    return frames;
  }

  #isSpeech(loudness: number): boolean {
    const isSpeech = loudness > Math.max(quietest, this.#noise + margin);
    const change = loudness < this.#noise ? -fall : rise;
    const towards =
      this.#noise + Math.sign(change) * Math.min(Math.abs(change), Math.abs(loudness - this.#noise));
    this.#noise = Math.max(-90, Math.min(loudestNoise, towards));
    return isSpeech;
  }
}

/** Loudness in decibels relative to full scale. */
function level(samples: readonly number[]): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return 10 * Math.log10(sum / samples.length / 32_768 ** 2 + 1e-10);
}
