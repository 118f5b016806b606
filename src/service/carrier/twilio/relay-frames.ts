import { z } from 'zod';
import { maxFrameBytes } from './signed-sockets.ts';

/*
 * The frames of ConversationRelay: JSON texts on a WebSocket. Unknown fields and frame types are ignored, since the
 * carrier may add some.
 */

const text = z.string().max(maxFrameBytes);
const milliseconds = z.coerce.number().min(0).catch(0);

/** The parameters that the service passes to the relay, which sends them back when it connects. */
const Parameters = z.object({
  callId: z.string().regex(/^(0|[1-9]\d{0,9})$/),
  token: z.string().min(1).max(200),
  connectToken: z.string().min(1).max(200),
  maxDuration: z.string().regex(/^\d{1,6}$/),
  speed: z.string().regex(/^\d(\.\d+)?$/),
  interruptingWords: z.string().regex(/^\d{1,2}$/),
  /** The assistant's language first. */
  languages: z.string().regex(/^[a-z]{2}(,[a-z]{2})*$/),
});

export type ConnectionParameters = z.infer<typeof Parameters>;

const Setup = z.object({
  type: z.literal('setup'),
  callSid: z.string().regex(/^CA[0-9a-f]{32}$/),
  direction: text.default(''),
  customParameters: Parameters,
});

const Prompt = z.object({
  type: z.literal('prompt'),
  voicePrompt: text,
  lang: z.nullish(text),
  /** False for a partial utterance. */
  last: z.boolean().default(true),
});

const Dtmf = z.object({ type: z.literal('dtmf'), digit: z.string().regex(/^[0-9*#A-Da-d]$/) });

const Interrupt = z.object({
  type: z.literal('interrupt'),
  utteranceUntilInterrupt: text.default(''),
  durationUntilInterruptMs: milliseconds,
});

/** Sent if `events` subscribes to it. Not in the published reference, so any content is accepted. */
const Info = z.object({
  type: z.literal('info'),
  name: text.catch(''),
  value: text.catch(''),
});

const Failure = z.object({ type: z.literal('error'), description: text.default('') });

const Frame = z.discriminatedUnion('type', [Setup, Prompt, Dtmf, Interrupt, Info, Failure]);
const AnyFrame = z.object({ type: z.string().max(100) });

/** A frame from the carrier. */
export type RelayFrame = z.infer<typeof Frame>;
export type SetupFrame = z.infer<typeof Setup>;

const knownTypes: readonly string[] = ['setup', 'prompt', 'dtmf', 'interrupt', 'info', 'error'];

/** A frame to the carrier. */
export type OutgoingFrame =
  | { type: 'text'; token: string; last: boolean }
  | { type: 'play'; source: string; interruptible: boolean; preemptible: boolean }
  | { type: 'sendDigits'; digits: string }
  | { type: 'language'; ttsLanguage: string }
  | { type: 'end'; handoffData: string };

/**
 * Reads a frame.
 *
 * @returns undefined for a frame of an unknown type.
 * @throws Error if it is not a frame.
 */
export function readFrame(data: string): RelayFrame | undefined {
  const value: unknown = JSON.parse(data);
  const { type } = AnyFrame.parse(value);
  return knownTypes.includes(type) ? Frame.parse(value) : undefined;
}
