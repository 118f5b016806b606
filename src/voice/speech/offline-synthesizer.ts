import { Readable } from 'node:stream';
import { Resampler } from '../../service/voice/resampler.ts';
import type { Synthesizer, SynthesisSettings } from '../../service/voice/synthesizer.ts';
import type { Espeak } from './espeak.ts';
import { chooseFliteVoice } from './flite-voices.ts';
import type { SpeechProcess, SpeechResponse, SpeechTask } from './speech-process.ts';
import type { SuppliedVoice } from './supplied-voices.ts';

/** Longer sentences are split, so that playback starts early. */
const longestText = 300;

interface Voices {
  supplied: ReadonlyMap<string, SuppliedVoice>;
  hasFlite: boolean;
  espeak: Espeak | undefined;
}

/** Speaks with the operator's voice for the language, flite (English), or espeak-ng, in this order. */
export class OfflineSynthesizer implements Synthesizer {
  readonly #process: SpeechProcess;
  readonly #voices: Voices;

  constructor(process: SpeechProcess, voices: Voices) {
    this.#process = process;
    this.#voices = voices;
  }

  problem(language: string): string | undefined {
    const { supplied, hasFlite, espeak } = this.#voices;
    return supplied.has(language) || (language === 'en' && hasFlite) || espeak?.speaks(language) === true
      ? undefined
      : `There is no voice for the language ${language}. Install the program espeak-ng, or set VOICE_MODEL_DIR or SPEECH_BASE_URL.`;
  }

  async *speak(
    text: string,
    settings: SynthesisSettings,
    rate: number,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    for (const part of divide(text)) {
      let resampler: Resampler | undefined;
      for await (const { rate: given, samples } of this.#synthesize(part, settings, signal)) {
        resampler ??= new Resampler(given, rate);
        yield resampler.convert(samples);
      }
      if (resampler) yield resampler.end();
    }
  }

  warmUp(settings: SynthesisSettings): void {
    const task = this.#taskFor('Hello.', settings);
    if (task) this.#process.warmUp(JSON.stringify(task), task);
  }

  #synthesize(text: string, settings: SynthesisSettings, signal: AbortSignal): AsyncIterable<AudioChunk> {
    const task = this.#taskFor(text, settings);
    if (task) return this.#run(task, signal);
    const { language, voice, speed, similarTo } = settings;
    const { espeak } = this.#voices;
    const wanted = { gender: similarTo?.gender, accent: similarTo?.accent, voice };
    if (espeak?.speaks(language) === true) return espeak.speak(text, { ...wanted, language, speed }, signal);
    throw new Error(this.problem(language));
  }

  /** Returns the task for the process; undefined if espeak-ng, a program of its own, must speak. */
  #taskFor(text: string, { language, voice, speed, similarTo }: SynthesisSettings): SpeechTask | undefined {
    const { supplied, hasFlite, espeak } = this.#voices;
    const own = supplied.get(language);
    if (own) {
      const speaker = Number(voice);
      return { type: 'voice', ...own, text, speed, speaker: Number.isInteger(speaker) ? speaker : 0 };
    }
    const isOfEspeak = voice !== undefined && espeak?.hasVoice(voice, language) === true;
    if (language !== 'en' || !hasFlite || isOfEspeak) return undefined;
    const wanted = { gender: similarTo?.gender, accent: similarTo?.accent, voice };
    return { type: 'flite', text, voice: chooseFliteVoice(wanted), speed };
  }

  /** Streams audio from the process. */
  #run(task: SpeechTask, signal: AbortSignal): AsyncIterable<AudioChunk> {
    const chunks = new Readable({ objectMode: true, read: () => undefined });
    const onResponse = ({ rate, samples }: SpeechResponse) => {
      if (rate !== undefined && samples) chunks.push({ rate, samples } satisfies AudioChunk);
    };
    this.#process.run(task, onResponse, signal).then(
      () => chunks.push(null),
      (error: unknown) => chunks.destroy(error as Error),
    );
    return chunks;
  }
}

interface AudioChunk {
  rate: number;
  samples: Int16Array;
}

/** Splits a long text at spaces, after a comma if possible. */
function divide(text: string): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > longestText) {
    const start = rest.slice(0, longestText);
    const comma = Math.max(start.lastIndexOf(', '), start.lastIndexOf('; '), start.lastIndexOf(': '));
    const space = start.lastIndexOf(' ');
    const end = comma > longestText / 3 ? comma + 1 : space > 0 ? space : longestText;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end).trim();
  }
  return rest === '' ? parts : [...parts, rest];
}
