import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { Resampler } from '../../service/voice/resampler.ts';
import type { Synthesizer, Transcriber, VoiceSettings } from '../../service/voice/speech-service.ts';
import type { SpeechDetector } from '../../service/voice/voice-module.ts';
import { Espeak } from './espeak.ts';
import { findModel } from './find-models.ts';
import { loadSherpa } from './sherpa.ts';
import type { Sherpa } from './sherpa.ts';
import { SileroDetectors } from './silero-detector.ts';
import { SpeechProcess } from './speech-process.ts';
import type { SpeechResponse, SpeechTask } from './speech-process.ts';
import { readSuppliedVoices } from './supplied-voices.ts';
import type { SuppliedVoice } from './supplied-voices.ts';

export interface OfflineSpeechSettings {
  /** Folder with the operator's own voices. */
  modelFolder?: string | undefined;
}

export interface OfflineSpeech {
  /** Undefined if components are missing. */
  transcriber: Transcriber | undefined;
  /** Undefined if there is no voice. */
  synthesizer: Synthesizer | undefined;
  /** Missing components, one sentence each. */
  problems: string[];
  createDetector: ((rate: number) => SpeechDetector) | undefined;
  close: () => void;
}

/** Longer sentences are split, so that playback starts early. */
const longestText = 300;

/** Finds the components of offline speech. The models load when the first call starts. */
export async function createOfflineSpeech(
  { modelFolder }: OfflineSpeechSettings,
  log: Logger,
): Promise<OfflineSpeech> {
  const supplied = modelFolder === undefined ? undefined : await readSuppliedVoices(modelFolder);
  const espeak = await Espeak.find();
  const problems = [...(supplied?.problems ?? [])];
  let sherpa: Sherpa | undefined;
  try {
    sherpa = loadSherpa();
  } catch (error) {
    log.warn({ err: error }, 'the speech runtime could not be loaded');
    problems.push(
      'Offline speech needs the package sherpa-onnx-node, which is missing or does not support this system. Install it, or set SPEECH_BASE_URL.',
    );
  }
  const hasModel = findModel('encoder') !== undefined && findModel('decoder') !== undefined;
  if (!hasModel)
    problems.push(
      'The transcription model is missing. Install the package @moonshine-ai/moonshine-js, or set TRANSCRIPTION_BASE_URL.',
    );
  // Two processes, so that speech output waits neither for transcriptions nor for the transcription model to load.
  const [transcriber, speaker] = [new SpeechProcess(), new SpeechProcess()];
  const detectors = createDetectors(sherpa, log);
  const voices = {
    supplied: sherpa ? (supplied?.voices ?? new Map<string, SuppliedVoice>()) : new Map(),
    hasFlite: findModel('flite') !== undefined,
    espeak,
  };
  return {
    transcriber: sherpa && hasModel ? new OfflineTranscriber(transcriber) : undefined,
    synthesizer:
      voices.supplied.size > 0 || voices.hasFlite || espeak
        ? new OfflineSynthesizer(speaker, voices)
        : undefined,
    problems,
    createDetector:
      detectors &&
      ((rate) => {
        if (sherpa && hasModel) transcriber.warmUp();
        return detectors.create(rate);
      }),
    close: () => {
      transcriber.close();
      speaker.close();
    },
  };
}

function createDetectors(sherpa: Sherpa | undefined, log: Logger): SileroDetectors | undefined {
  const model = findModel('silero');
  if (!sherpa || model === undefined) return undefined;
  try {
    return new SileroDetectors(sherpa, model);
  } catch (error) {
    log.warn({ err: error }, 'could not load the speech detection model; detecting speech by loudness');
    return undefined;
  }
}

interface Voices {
  supplied: ReadonlyMap<string, SuppliedVoice>;
  hasFlite: boolean;
  espeak: Espeak | undefined;
}

/** Transcribes English with Moonshine. */
class OfflineTranscriber implements Transcriber {
  readonly #process: SpeechProcess;

  constructor(process: SpeechProcess) {
    this.#process = process;
  }

  problem(language: string): string | undefined {
    return language === 'en'
      ? undefined
      : `Offline transcription supports only English, not the language ${language}. Set TRANSCRIPTION_BASE_URL.`;
  }

  get isBusy(): boolean {
    return !this.#process.isIdle;
  }

  async transcribe(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<string> {
    if (language !== undefined && language !== 'en') throw new Error(this.problem(language));
    let text = '';
    await this.#process.run(
      { type: 'transcribe', samples, rate },
      (response) => {
        text += response.text ?? '';
      },
      signal,
    );
    return text;
  }

  async transcribeSoFar(
    samples: Int16Array,
    rate: number,
    language: string | undefined,
    signal: AbortSignal,
  ): Promise<string | undefined> {
    return this.isBusy ? undefined : this.transcribe(samples, rate, language, signal);
  }
}

/** Speaks with the operator's voice for the language, flite (English), or espeak-ng, in this order. */
class OfflineSynthesizer implements Synthesizer {
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
    settings: VoiceSettings,
    rate: number,
    signal: AbortSignal,
  ): AsyncGenerator<Int16Array> {
    for (const part of divide(text)) {
      let resampler: Resampler | undefined;
      for await (const { rate: given, samples } of this.#sound(part, settings, signal)) {
        resampler ??= new Resampler(given, rate);
        yield resampler.convert(samples);
      }
      if (resampler) yield resampler.end();
    }
  }

  #sound(text: string, { language, voice, speed }: VoiceSettings, signal: AbortSignal): AsyncIterable<Sound> {
    const { supplied, hasFlite, espeak } = this.#voices;
    const own = supplied.get(language);
    if (own) {
      const speaker = Number(voice);
      return this.#run(
        { type: 'voice', ...own, text, speed, speaker: Number.isInteger(speaker) ? speaker : 0 },
        signal,
      );
    }
    if (language === 'en' && hasFlite) return this.#run({ type: 'flite', text, voice, speed }, signal);
    if (espeak?.speaks(language) === true) return espeak.speak(text, language, speed, signal);
    throw new Error(this.problem(language));
  }

  /** Streams audio from the process. */
  #run(task: SpeechTask, signal: AbortSignal): AsyncIterable<Sound> {
    const sounds = new Readable({ objectMode: true, read: () => undefined });
    const onResponse = ({ rate, samples }: SpeechResponse) => {
      if (rate !== undefined && samples) sounds.push({ rate, samples } satisfies Sound);
    };
    this.#process.run(task, onResponse, signal).then(
      () => sounds.push(null),
      (error: unknown) => sounds.destroy(error as Error),
    );
    return sounds;
  }
}

interface Sound {
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
