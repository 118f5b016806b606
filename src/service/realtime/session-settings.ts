import type {
  RealtimeAudioInputTurnDetection,
  RealtimeSessionCreateRequest,
} from 'openai/resources/realtime/realtime';
import type { SpeechSettings } from '../voice/line.ts';
import type { EngineTool } from '../engine/engine.ts';
import { toOpenAiTools } from '../engine/openai/tool-calls.ts';
import { realtimeRate } from './realtime-session.ts';

/** The settings of an assistant that a session needs. */
export interface SessionOptions {
  /** The assistant's system prompt. */
  instructions: string;
  tools: EngineTool[];
  speech: SpeechSettings;
  /** The model that transcribes the customer. */
  transcriptionModel: string;
  /** Whether the model replies in text, which another voice speaks. */
  writes: boolean;
}

/** Converts an assistant's settings to those of a session. */
export function sessionSettings(options: SessionOptions): RealtimeSessionCreateRequest {
  const { instructions, tools, speech, transcriptionModel, writes } = options;
  const format = { type: 'audio/pcm', rate: realtimeRate } as const;
  return {
    type: 'realtime',
    instructions,
    output_modalities: [writes ? 'text' : 'audio'],
    audio: {
      input: {
        format,
        transcription: {
          model: transcriptionModel,
          // Without it, the model detects the language.
          ...((speech.otherLanguages ?? []).length === 0 && { language: speech.language }),
        },
        turn_detection: turnDetection(speech),
      },
      ...(!writes && {
        output: { format, speed: speech.speed, ...(speech.voice && { voice: speech.voice.name }) },
      }),
    },
    tools: toOpenAiTools(tools).flatMap((tool) =>
      tool.type === 'function' ? { type: 'function' as const, ...tool.function } : [],
    ),
    tool_choice: 'auto',
  };
}

/**
 * The service requests and stops each response itself, so that one place decides what is spoken. The model only detects
 * when the customer speaks.
 */
function turnDetection({
  endpointType,
  endpointSensitivity,
  interruptSensitivity,
}: SpeechSettings): RealtimeAudioInputTurnDetection {
  const decides = { create_response: false, interrupt_response: false };
  if (endpointType === 'ai')
    return { type: 'semantic_vad', eagerness: eagerness(endpointSensitivity), ...decides };
  return {
    type: 'server_vad',
    silence_duration_ms: Math.round((1.4 - endpointSensitivity) * 1000),
    // The less sensitive, the louder the customer must speak.
    threshold: Math.round((0.3 + 0.5 * (1 - interruptSensitivity)) * 100) / 100,
    prefix_padding_ms: 300,
    ...decides,
  };
}

const eagerness = (sensitivity: number) =>
  sensitivity < 0.34 ? 'low' : sensitivity < 0.67 ? 'medium' : 'high';
