import { z } from 'zod';
import { readJson } from '../lib/read-json.ts';

/*
 * The events of a realtime model that the service uses, with the fields that it reads. All are checked: servers with the
 * same protocol differ.
 */

const Usage = z.object({
  input_tokens: z.int().nonnegative().nullish(),
  output_tokens: z.int().nonnegative().nullish(),
});

const Response = z.object({
  status: z.string().nullish(),
  usage: Usage.nullish().catch(undefined),
  output: z
    .array(
      z.object({
        id: z.string().nullish(),
        type: z.string(),
        call_id: z.string().nullish(),
        name: z.string().nullish(),
        arguments: z.string().nullish(),
      }),
    )
    .nullish(),
});

const KnownEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal(['session.created', 'session.updated']) }),
  z.object({
    type: z.literal('input_audio_buffer.speech_started'),
    item_id: z.string(),
    audio_start_ms: z.number(),
  }),
  z.object({
    type: z.literal('input_audio_buffer.speech_stopped'),
    item_id: z.string(),
    audio_end_ms: z.number(),
  }),
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: z.string() }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    item_id: z.string(),
    transcript: z.string(),
    usage: z.unknown().optional(),
  }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.failed'),
    item_id: z.string(),
  }),
  z.object({
    type: z.literal(['response.output_audio_transcript.delta', 'response.output_text.delta']),
    item_id: z.string(),
    delta: z.string(),
  }),
  z.object({ type: z.literal('response.output_audio.delta'), item_id: z.string(), delta: z.string() }),
  z.object({ type: z.literal('response.done'), response: Response }),
  z.object({
    type: z.literal('error'),
    error: z.object({ message: z.string(), code: z.unknown().optional(), event_id: z.unknown().optional() }),
  }),
]);

const knownTypes: ReadonlySet<string> = new Set(
  KnownEvent.options.flatMap(({ shape }) => [...shape.type.values]),
);
const OtherEvent = z
  .object({ type: z.string().refine((type) => !knownTypes.has(type)) })
  .transform(() => ({ type: 'other' as const }));

const Event = z.union([KnownEvent, OtherEvent]);

/** An event of a realtime model; `other` if the service does not use it. */
export type RealtimeEvent = z.infer<typeof Event>;
/** A completed response. */
export type RealtimeResponse = z.infer<typeof Response>;
/** The tokens that a response has used. */
export type RealtimeUsage = z.infer<typeof Usage>;

/** Returns undefined if the message is not a valid event. */
export const readRealtimeEvent = (text: string): RealtimeEvent | undefined => readJson(text, Event);
