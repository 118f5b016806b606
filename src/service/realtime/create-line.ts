import type { ModelConfig } from '../engine/read-models.ts';
import type { LinePlan } from '../voice/line.ts';
import type { SpeechService } from '../voice/speech-service.ts';
import { VoiceLine } from '../voice/voice-line.ts';
import type { VoiceLineParts } from '../voice/voice-line.ts';
import { RealtimeLine } from './realtime-line.ts';

/** What the service converts the sound of calls with. */
export interface CallVoice extends Pick<VoiceLineParts, 'createDetector'> {
  speech: SpeechService;
  /** The models that assistants can choose. */
  models: readonly ModelConfig[];
  /** The model that writes down what the customer says to a realtime model. */
  transcriptionModel: string;
}

/** A line whose sound goes through this process. */
export type CallLine = VoiceLine | RealtimeLine;

/** An assistant with a realtime model talks by it, and in the mode `dualplex` by another voice. */
export function createLine(
  { speech: service, createDetector, models, transcriptionModel }: CallVoice,
  { mode, model, speech: settings }: LinePlan,
  parts: Pick<VoiceLineParts, 'peer' | 'control' | 'log' | 'listener'>,
): CallLine {
  const endpoint = mode === 'pipeline' ? undefined : models.find(({ code }) => code === model)?.realtime;
  if (!endpoint) return new VoiceLine({ ...parts, service, settings, createDetector });
  const voice = mode === 'dualplex' ? { voice: service } : {};
  return new RealtimeLine({ ...parts, ...voice, settings, endpoint, transcriptionModel });
}
