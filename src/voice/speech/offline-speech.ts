import type { Logger } from 'pino';
import type { Synthesizer } from '../../service/voice/synthesizer.ts';
import type { Transcriber } from '../../service/voice/transcriber.ts';
import type { OfflineSpeechSettings, SpeechDetector } from '../../service/voice/voice-module.ts';
import { Espeak } from './espeak.ts';
import { findModel } from './find-models.ts';
import { findLoadableRecognizers } from './loadable-recognizers.ts';
import { OfflineSynthesizer } from './offline-synthesizer.ts';
import { OfflineTranscriber } from './offline-transcriber.ts';
import { loadSherpa } from './sherpa.ts';
import type { Sherpa } from './sherpa.ts';
import { SileroDetectors } from './silero-detector.ts';
import { SpeechProcess } from './speech-process.ts';
import { readSuppliedVoices } from './supplied-voices.ts';
import type { SuppliedVoice } from './supplied-voices.ts';

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

/** Finds the components of offline speech. The models load when the first visitor is about to call. */
export async function createOfflineSpeech(
  { voicesFolder, transcriptionModelsFolder }: OfflineSpeechSettings,
  log: Logger,
): Promise<OfflineSpeech> {
  const suppliedVoices = voicesFolder === undefined ? undefined : await readSuppliedVoices(voicesFolder);
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
    sherpa && transcriptionModelsFolder !== undefined
      ? await findLoadableRecognizers(transcriptionModelsFolder, log)
      : undefined;
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
    createDetector: detectors && ((rate) => detectors.create(rate)),
    close: () => {
      transcription.close();
      synthesis.close();
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
