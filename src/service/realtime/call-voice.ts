import type { ModelUsage } from '../engine/engine.ts';
import type { ModelConfig, RealtimeEndpoint } from '../engine/read-models.ts';
import { chooseSpeech } from '../voice/choose-speech.ts';
import type { SpeechChoice } from '../voice/choose-speech.ts';
import type { LinePlan } from '../voice/line.ts';
import type { Speech } from '../voice/open-speech.ts';
import type { Synthesizer, Transcriber } from '../voice/speech-service.ts';
import type { TranscriptionUsage } from '../voice/transcription-usage.ts';
import { VoiceLine } from '../voice/voice-line.ts';
import type { VoiceLineParts } from '../voice/voice-line.ts';
import { RealtimeLine } from './realtime-line.ts';

/** What the service converts the sound of calls with. */
export interface CallVoiceParts extends Pick<VoiceLineParts, 'createDetector'> {
  speech: Speech;
  /** The models that assistants can choose. */
  models: readonly ModelConfig[];
  /** The model that writes down what the customer says to a realtime model. */
  transcriptionModel: string;
  /** Stores what transcriptions use. It never throws. */
  recordUsage: (usage: ModelUsage) => Promise<void>;
  /** Why speech is missing, if it is; a sentence. */
  missing?: string | undefined;
}

/** A line whose sound goes through this process. */
export type CallLine = VoiceLine | RealtimeLine;

/** What decides how a call of an assistant is held. */
export interface VoiceNeeds extends Pick<LinePlan, 'mode' | 'model'>, SpeechChoice {
  /** Two-letter code (ISO 639-1). */
  language: string;
}

/** Decides with what speech the calls of an assistant are held. */
export class CallVoice {
  readonly #parts: CallVoiceParts;

  constructor(parts: CallVoiceParts) {
    this.#parts = parts;
  }

  /** Whether calls can be held without a realtime model. */
  get isComplete(): boolean {
    const { synthesizer, transcriber } = this.#parts.speech;
    return synthesizer !== undefined && transcriber !== undefined;
  }

  /** Returns the mode in which a call is held: an assistant without a realtime model talks as in `pipeline`. */
  modeOf(plan: Pick<LinePlan, 'mode' | 'model'>): LinePlan['mode'] {
    return this.#realtimeOf(plan) ? plan.mode : 'pipeline';
  }

  /** Returns why a call cannot be held, as a sentence; undefined if it can. */
  problem(needs: VoiceNeeds): string | undefined {
    const { language } = needs;
    const { synthesizer, transcriber } = chooseSpeech(this.#parts.speech, needs);
    const mode = this.modeOf(needs);
    // A realtime model hears every language, and speaks unless another voice does.
    const hearing = mode === 'pipeline' ? this.#problemOf(transcriber, language) : undefined;
    return hearing ?? (mode === 'multimodal' ? undefined : this.#problemOf(synthesizer, language));
  }

  /** Connects an assistant to the sound of a call. */
  createLine(plan: LinePlan, parts: Pick<VoiceLineParts, 'peer' | 'control' | 'log' | 'listener'>): CallLine {
    const { createDetector, transcriptionModel, speech } = this.#parts;
    const endpoint = this.#realtimeOf(plan);
    const { synthesizer, transcriber, voice: named } = chooseSpeech(speech, plan.speech);
    if (endpoint && plan.mode === 'multimodal') {
      const { voice } = plan.speech;
      // A session with a voice that the model does not have would be refused.
      const isItsOwn = voice?.provider === plan.model && endpoint.voices.includes(voice.name);
      const settings = { ...plan.speech, voice: isItsOwn ? voice : undefined };
      return new RealtimeLine({ ...parts, settings, endpoint, transcriptionModel });
    }
    const settings = { ...plan.speech, voice: named };
    if (endpoint) {
      const voice = synthesizer;
      return new RealtimeLine({ ...parts, voice, settings, endpoint, transcriptionModel });
    }
    if (!synthesizer || !transcriber) throw new Error('A call has begun without speech.');
    const { assistant } = plan;
    const onUsage = (usage: TranscriptionUsage) => {
      void this.#parts.recordUsage({ ...usage, assistant, purpose: 'transcription', cost: undefined });
    };
    return new VoiceLine({ ...parts, synthesizer, transcriber, settings, createDetector, onUsage });
  }

  #realtimeOf({ mode, model }: Pick<LinePlan, 'mode' | 'model'>): RealtimeEndpoint | undefined {
    return mode === 'pipeline' ? undefined : this.#parts.models.find(({ code }) => code === model)?.realtime;
  }

  #problemOf(part: Synthesizer | Transcriber | undefined, language: string): string | undefined {
    return part ? part.problem?.(language) : (this.#parts.missing ?? 'the service has no voice.');
  }
}
