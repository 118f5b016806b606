import { Readable } from 'node:stream';
import type { Logger } from 'pino';
import { Resampler } from '../../service/voice/resampler.ts';
import type { Synthesizer, Transcriber, VoiceSettings } from '../../service/voice/speech-service.ts';
import type { SpeechDetector } from '../../service/voice/voice-module.ts';
import { Espeak } from './espeak.ts';
import { chooseFliteVoice } from './flite-voices.ts';
import { findModel } from './find-models.ts';
import { loadSherpa } from './sherpa.ts';
import type { Sherpa } from './sherpa.ts';
import { SileroDetectors } from './silero-detector.ts';
import { SpeechProcess } from './speech-process.ts';
import type { RecognizerConfig, SpeechResponse, SpeechTask } from './speech-process.ts';
import { readSuppliedRecognizers } from './supplied-recognizers.ts';
import type { SuppliedRecognizer } from './supplied-recognizers.ts';
import { readSuppliedVoices } from './supplied-voices.ts';
import type { SuppliedVoice } from './supplied-voices.ts';

export interface OfflineSpeechSettings {
  /** Folder with the operator's own voices. */
  modelFolder?: string | undefined;
  /** Folder with the operator's own transcription models. */
  recognizerFolder?: string | undefined;
}

export interface OfflineSpeech {
  /** Undefined if components are missing. */
  transcriber: Transcriber | undefined;
  /** Undefined if there is no voice. */
  synthesizer: Synthesizer | undefined;
  /** Missing components, one sentence each. */
  problems: string[];
  createDetector: ((rate: number, language?: string) => SpeechDetector) | undefined;
  close: () => void;
}

/** Longer sentences are split, so that playback starts early. */
const longestText = 300;

/** Finds the components of offline speech. The models load when the first call starts. */
export async function createOfflineSpeech(
  { modelFolder, recognizerFolder }: OfflineSpeechSettings,
  log: Logger,
): Promise<OfflineSpeech> {
  const suppliedVoices = modelFolder === undefined ? undefined : await readSuppliedVoices(modelFolder);
  const espeak = await Espeak.find();
  const problems = [...(suppliedVoices?.problems ?? [])];
  let sherpa: Sherpa | undefined;
  try {
    sherpa = loadSherpa();
  } catch (error) {
    log.warn({ err: error }, 'the speech runtime could not be loaded');
    problems.push(
      'Offline speech needs the package sherpa-onnx-node, which is missing or does not support this system. Install it, or set SPEECH_BASE_URL.',
    );
  }
  const supplied =
    sherpa && recognizerFolder !== undefined ? await loadable(recognizerFolder, log) : undefined;
  problems.push(...(supplied?.problems ?? []));
  const recognizers = supplied?.recognizers ?? [];
  const hasModel = findModel('encoder') !== undefined && findModel('decoder') !== undefined;
  if (!hasModel && !recognizers.some(({ languages }) => languages.includes('en')))
    problems.push(
      'The transcription model is missing. Install the package @moonshine-ai/moonshine-js, or set TRANSCRIPTION_BASE_URL.',
    );
  // Two processes, so that speech output waits neither for transcriptions nor for the transcription model to load.
  const [transcription, synthesis] = [new SpeechProcess(), new SpeechProcess()];
  const transcriber =
    sherpa && (hasModel || recognizers.length > 0)
      ? new OfflineTranscriber(transcription, recognizers, hasModel)
      : undefined;
  const detectors = createDetectors(sherpa, log);
  const voices = {
    supplied: sherpa ? (suppliedVoices?.voices ?? new Map<string, SuppliedVoice>()) : new Map(),
    hasFlite: findModel('flite') !== undefined,
    espeak,
  };
  return {
    transcriber,
    synthesizer:
      voices.supplied.size > 0 || voices.hasFlite || espeak
        ? new OfflineSynthesizer(synthesis, voices)
        : undefined,
    problems,
    createDetector:
      detectors &&
      ((rate, language) => {
        transcriber?.warmUp(language);
        return detectors.create(rate);
      }),
    close: () => {
      transcription.close();
      synthesis.close();
    },
  };
}

/**
 * Reads the operator's transcription models and loads each one once, in a process that ends afterwards: sherpa-onnx
 * ends the process if a model has the wrong files.
 */
async function loadable(
  folder: string,
  log: Logger,
): Promise<{ recognizers: SuppliedRecognizer[]; problems: string[] }> {
  const { recognizers, problems } = await readSuppliedRecognizers(folder);
  for (const problem of problems) log.error(problem);
  const loaded: SuppliedRecognizer[] = [];
  for (const recognizer of recognizers) {
    const { name, kind, languages } = recognizer;
    const process = new SpeechProcess({ parallel: 1 });
    const start = performance.now();
    try {
      const task = { type: 'load', model: recognizer.configFor(languages[0]) } as const;
      await process.run(task, () => undefined, new AbortController().signal);
      loaded.push(recognizer);
      const milliseconds = Math.round(performance.now() - start);
      log.info({ kind, languages, milliseconds }, 'found a transcription model');
    } catch (error) {
      log.error({ err: error, folder: name, kind }, 'a transcription model cannot be loaded');
      problems.push(
        `TRANSCRIPTION_MODEL_DIR: the model in the folder ${name} cannot be loaded as ${kind}. Its files must be of one model, as published for sherpa-onnx.`,
      );
    } finally {
      process.close();
    }
  }
  return { recognizers: loaded, problems };
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

/** Transcribes with the operator's model for the language, otherwise English with Moonshine. */
class OfflineTranscriber implements Transcriber {
  readonly #process: SpeechProcess;
  readonly #recognizers: readonly SuppliedRecognizer[];
  readonly #hasMoonshine: boolean;

  constructor(process: SpeechProcess, recognizers: readonly SuppliedRecognizer[], hasMoonshine: boolean) {
    this.#process = process;
    this.#recognizers = recognizers;
    this.#hasMoonshine = hasMoonshine;
  }

  problem(language: string): string | undefined {
    return this.#find(language)
      ? undefined
      : `Offline transcription does not support the language ${language}. Set TRANSCRIPTION_MODEL_DIR or TRANSCRIPTION_BASE_URL.`;
  }

  /** Loads the model of a language, so that the first transcription is quick. */
  warmUp(language: string | undefined): void {
    const found = this.#find(language);
    if (found) this.#process.warmUp(found.model);
  }

  detects(languages: readonly string[]): boolean {
    return languages.every((language) => this.#widest?.languages.includes(language));
  }

  /** The model with the most languages. */
  get #widest(): SuppliedRecognizer | undefined {
    return this.#recognizers.toSorted((a, b) => b.languages.length - a.languages.length)[0];
  }

  #find(language: string | undefined): { model: RecognizerConfig } | undefined {
    const supplied =
      language === undefined
        ? this.#widest
        : this.#recognizers.find(({ languages }) => languages.includes(language));
    if (supplied) return { model: supplied.configFor(language) };
    return this.#hasMoonshine && (language ?? 'en') === 'en' ? { model: undefined } : undefined;
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
    const found = this.#find(language);
    if (!found) throw new Error(this.problem(language ?? 'en'));
    let text = '';
    await this.#process.run(
      { type: 'transcribe', samples, rate, model: found.model },
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
      for await (const { rate: given, samples } of this.#synthesize(part, settings, signal)) {
        resampler ??= new Resampler(given, rate);
        yield resampler.convert(samples);
      }
      if (resampler) yield resampler.end();
    }
  }

  #synthesize(text: string, settings: VoiceSettings, signal: AbortSignal): AsyncIterable<AudioChunk> {
    const { language, voice, speed, similarTo } = settings;
    const { supplied, hasFlite, espeak } = this.#voices;
    const own = supplied.get(language);
    if (own) {
      const speaker = Number(voice);
      return this.#run(
        { type: 'voice', ...own, text, speed, speaker: Number.isInteger(speaker) ? speaker : 0 },
        signal,
      );
    }
    const wanted = { gender: similarTo?.gender, accent: similarTo?.accent, voice };
    const isOfEspeak = voice !== undefined && espeak?.hasVoice(voice, language) === true;
    if (language === 'en' && hasFlite && !isOfEspeak)
      return this.#run({ type: 'flite', text, voice: chooseFliteVoice(wanted), speed }, signal);
    if (espeak?.speaks(language) === true) return espeak.speak(text, { ...wanted, language, speed }, signal);
    throw new Error(this.problem(language));
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
