import { Resampler } from '../../service/voice/resampler.ts';
import type { SpeechDetector } from '../../service/voice/voice-module.ts';
import { toFloats } from './sherpa.ts';
import type { Sherpa, Vad } from './sherpa.ts';

const modelRate = 16_000;
const frameLength = 512;
/** The model buffers the current utterance. Beyond this length, it is reset. */
const longestSpeechFrames = Math.round((25 * modelRate) / frameLength);
const bufferSeconds = 30;

/** Creates speech detectors with the Silero model. Loading it takes 0.1 s, so closed detectors are reused. */
export class SileroDetectors {
  readonly #sherpa: Sherpa;
  readonly #config: object;
  readonly #free: Vad[] = [];

  constructor(sherpa: Sherpa, model: string) {
    this.#sherpa = sherpa;
    this.#config = {
      sileroVad: {
        model,
        // The probability at which a frame counts as speech.
        threshold: 0.5,
        // The turn detector handles pauses and short sounds.
        minSilenceDuration: 0.032,
        minSpeechDuration: 0.032,
        maxSpeechDuration: 1000,
        windowSize: frameLength,
      },
      sampleRate: modelRate,
      numThreads: 1,
      provider: 'cpu',
    };
    this.#free.push(this.#load());
  }

  create(rate: number): SpeechDetector {
    const vad = this.#free.pop() ?? this.#load();
    return new SileroDetector(vad, rate, () => {
      vad.reset();
      this.#free.push(vad);
    });
  }

  #load(): Vad {
    return new this.#sherpa.Vad(this.#config, bufferSeconds);
  }
}

class SileroDetector implements SpeechDetector {
  readonly frameSeconds = frameLength / modelRate;
  readonly #vad: Vad;
  readonly #resampler: Resampler;
  readonly #release: () => void;
  readonly #frame = new Int16Array(frameLength);
  #filled = 0;
  #speechFrames = 0;
  #isClosed = false;

  constructor(vad: Vad, rate: number, release: () => void) {
    this.#vad = vad;
    this.#resampler = new Resampler(rate, modelRate);
    this.#release = release;
  }

  detect(samples: Int16Array): boolean[] {
    const frames: boolean[] = [];
    let rest = this.#resampler.convert(samples);
    while (!this.#isClosed && rest.length > 0) {
      const part = rest.subarray(0, frameLength - this.#filled);
      this.#frame.set(part, this.#filled);
      this.#filled += part.length;
      rest = rest.subarray(part.length);
      if (this.#filled < frameLength) break;
      this.#filled = 0;
      frames.push(this.#isSpeech());
    }
    return frames;
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#release();
  }

  #isSpeech(): boolean {
    this.#vad.acceptWaveform(toFloats(this.#frame));
    while (!this.#vad.isEmpty()) this.#vad.pop();
    const isSpeech = this.#vad.isDetected();
    this.#speechFrames = isSpeech ? this.#speechFrames + 1 : 0;
    if (this.#speechFrames >= longestSpeechFrames) {
      this.#vad.reset();
      this.#speechFrames = 0;
    }
    return isSpeech;
  }
}
