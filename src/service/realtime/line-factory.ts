import type { ModelUsage } from '../engine/engine.ts';
import type { ModelConfig, RealtimeEndpoint } from '../engine/read-models.ts';
import { chooseSpeech } from '../voice/choose-speech.ts';
import type { SpeechChoice } from '../voice/choose-speech.ts';
import type { LinePlan } from '../voice/line.ts';
import { transcriptionLanguage } from '../voice/line-transcriber.ts';
import type { SpokenLanguages } from '../voice/line-transcriber.ts';
import type { Speech } from '../voice/open-speech.ts';
import { synthesisSettings } from '../voice/synthesis-settings.ts';
import type { Synthesizer } from '../voice/synthesizer.ts';
import type { Transcriber } from '../voice/transcriber.ts';
import type { TranscriptionUsage } from '../voice/transcription-usage.ts';
import { VoiceLine } from '../voice/voice-line.ts';
import type { VoiceLineOptions } from '../voice/voice-line.ts';
import { RealtimeLine } from './realtime-line.ts';

/** The speech services and models for calls. */
export interface LineFactoryDependencies extends Pick<VoiceLineOptions, 'createDetector'> {
  speech: Speech;
  /** The models that assistants can choose. */
  models: readonly ModelConfig[];
  /** The model that transcribes the customer in calls with a realtime model. */
  transcriptionModel: string;
  /** Stores the usage of transcriptions. Never throws. */
  recordUsage: (usage: ModelUsage) => Promise<void>;
  /** Why speech is not available, as a sentence. */
  missing?: string | undefined;
}

/** A line whose audio passes through this process. */
export type CallLine = VoiceLine | RealtimeLine;

/** The settings that determine the speech services and the line of an assistant's calls. */
export type VoiceNeeds = Pick<LinePlan, 'mode' | 'model'> & SpeechChoice & SpokenLanguages;

/** Selects the speech services and the line of an assistant's calls. */
export class LineFactory {
  readonly #dependencies: LineFactoryDependencies;

  constructor(dependencies: LineFactoryDependencies) {
    this.#dependencies = dependencies;
  }

  /** Whether calls are possible without a realtime model. */
  get isComplete(): boolean {
    const { synthesizer, transcriber } = this.#dependencies.speech;
    return synthesizer !== undefined && transcriber !== undefined;
  }

  /** Returns the effective mode of a call: `pipeline` if the assistant has no realtime model. */
  modeOf(plan: Pick<LinePlan, 'mode' | 'model'>): LinePlan['mode'] {
    return this.#realtimeOf(plan) ? plan.mode : 'pipeline';
  }

  /** Returns why a call is not possible, as a sentence; undefined if it is. */
  problem(needs: VoiceNeeds): string | undefined {
    const { language } = needs;
    const { synthesizer, transcriber } = chooseSpeech(this.#dependencies.speech, needs);
    const { transcribes, synthesizes } = this.#uses(needs);
    const transcriptionProblem = transcribes ? this.#problemOf(transcriber, language) : undefined;
    return transcriptionProblem ?? (synthesizes ? this.#problemOf(synthesizer, language) : undefined);
  }

  /** Prepares the speech services for a call that begins soon. */
  warmUp(needs: VoiceNeeds): void {
    const { synthesizer, transcriber, ...chosen } = chooseSpeech(this.#dependencies.speech, needs);
    const { transcribes, synthesizes } = this.#uses(needs);
    if (transcribes && transcriber) transcriber.warmUp?.(transcriptionLanguage(transcriber, needs));
    if (synthesizes)
      synthesizer?.warmUp?.(synthesisSettings({ language: needs.language, ...chosen, speed: 1 }));
  }

  /** Creates the line that connects an assistant to the audio of a call. */
  createLine(
    plan: LinePlan,
    options: Pick<VoiceLineOptions, 'peer' | 'control' | 'log' | 'listener'>,
  ): CallLine {
    const { createDetector, transcriptionModel, speech } = this.#dependencies;
    const endpoint = this.#realtimeOf(plan);
    const { synthesizer, transcriber, ...chosen } = chooseSpeech(speech, plan.speech);
    if (endpoint && plan.mode === 'multimodal') {
      const { voice } = plan.speech;
      // The model refuses sessions with a voice that it does not have.
      const isItsOwn = voice?.provider === plan.model && endpoint.voices.includes(voice.name);
      const settings = { ...plan.speech, voice: isItsOwn ? voice : undefined };
      return new RealtimeLine({ ...options, settings, endpoint, transcriptionModel });
    }
    const settings = { ...plan.speech, ...chosen };
    if (endpoint) {
      const voice = synthesizer;
      return new RealtimeLine({ ...options, voice, settings, endpoint, transcriptionModel });
    }
    if (!synthesizer || !transcriber) throw new Error('A call has begun without speech.');
    const { assistant } = plan;
    const onUsage = (usage: TranscriptionUsage) => {
      void this.#dependencies.recordUsage({ ...usage, assistant, purpose: 'transcription', cost: undefined });
    };
    return new VoiceLine({ ...options, synthesizer, transcriber, settings, createDetector, onUsage });
  }

  /** The speech services that a call uses. */
  #uses(needs: VoiceNeeds): { transcribes: boolean; synthesizes: boolean } {
    const mode = this.modeOf(needs);
    // A realtime model understands every language, and speaks itself in the mode `multimodal`.
    return { transcribes: mode === 'pipeline', synthesizes: mode !== 'multimodal' };
  }

  #realtimeOf({ mode, model }: Pick<LinePlan, 'mode' | 'model'>): RealtimeEndpoint | undefined {
    return mode === 'pipeline'
      ? undefined
      : this.#dependencies.models.find(({ code }) => code === model)?.realtime;
  }

  #problemOf(part: Synthesizer | Transcriber | undefined, language: string): string | undefined {
    return part ? part.problem?.(language) : (this.#dependencies.missing ?? 'speech is not configured.');
  }
}
