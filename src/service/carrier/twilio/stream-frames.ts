import { z } from 'zod';

/*
 * The frames of Media Streams: JSON texts on a WebSocket, with audio in μ-law at 8,000 Hz. Unknown fields and frames are
 * ignored, since the carrier may add some.
 */

/** The parameters that the service passes to the stream, which sends them back when it connects. */
const Parameters = z.object({
  callId: z.string().regex(/^[1-9]\d{0,9}$/),
  token: z.string().min(1).max(200),
  connectToken: z.string().min(1).max(200),
  maxDuration: z.string().regex(/^\d{1,6}$/),
  /** `inbound` for the first connection of an incoming call. */
  direction: z.enum(['inbound', '']).catch(''),
});

export type StreamParameters = z.infer<typeof Parameters>;

const Start = z.object({
  event: z.literal('start'),
  streamSid: z.string().min(1).max(100),
  start: z.object({
    callSid: z.string().regex(/^CA[0-9a-f]{32}$/),
    customParameters: Parameters,
  }),
});
const Media = z.object({
  event: z.literal('media'),
  media: z.object({ track: z.string().max(100).default('inbound'), payload: z.base64() }),
});
const Dtmf = z.object({ event: z.literal('dtmf'), dtmf: z.object({ digit: z.string().max(1) }) });
const Stop = z.object({ event: z.literal('stop') });

const Frame = z.discriminatedUnion('event', [Start, Media, Dtmf, Stop]);
const AnyFrame = z.object({ event: z.string().max(100) });

/** A frame from the carrier. */
export type StreamFrame = z.infer<typeof Frame>;
export type StartFrame = z.infer<typeof Start>;

const knownEvents: readonly string[] = ['start', 'media', 'dtmf', 'stop'];

/** A frame to the carrier, without the id of its stream. */
export type OutgoingStreamFrame = { event: 'media'; media: { payload: string } } | { event: 'clear' };

/**
 * Reads a frame.
 *
 * @returns undefined for a frame of another kind, such as `connected`.
 * @throws Error if it is not a frame.
 */
export function readStreamFrame(data: string): StreamFrame | undefined {
  const value: unknown = JSON.parse(data);
  const { event } = AnyFrame.parse(value);
  return knownEvents.includes(event) ? Frame.parse(value) : undefined;
}
