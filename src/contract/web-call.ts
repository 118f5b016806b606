import * as z from 'zod/mini';
import { Done } from './chat-endpoints.ts';
import * as endpoints from './web-call-endpoints.ts';

/*
 * Calls of a visitor by WebRTC, exactly as our service accepts and answers them. Additions of our service. Browsers load
 * the smaller `web-call-endpoints.ts` instead.
 */

/** All error texts that only calls have. */
export const webCallErrorTexts = {
  ...endpoints.callRefusals,
  /** Followed by the reason. */
  unavailable: 'Voice is not available: ',
  notOffered: 'Calls are not enabled for this assistant',
} as const;

/** Longest SDP offer in characters. */
export const maxOffer = 100_000;

/** Body of `POST /conversations/{uuid}/voice`. */
export const StartVoiceRequest = z.object(
  {
    sdp: z
      .string('sdp is required: the offer of an RTCPeerConnection')
      .check(
        z.minLength(1, 'sdp is required: the offer of an RTCPeerConnection'),
        z.maxLength(maxOffer, `sdp may have at most ${maxOffer} characters`),
      ),
    /** The `call` of an earlier answer: connects that call again after its connection was lost. */
    call: z.nullish(z.string('call must be a string').check(z.maxLength(200, 'call is too long'))),
    /** The solution of the challenge that the response 428 contained, as ALTCHA's payload in Base64. */
    proof_of_work: z.nullish(z.string('proof_of_work must be a string').check(z.maxLength(2000))),
  },
  { error: 'the body must be a JSON object' },
);
export type StartVoiceRequest = z.infer<typeof StartVoiceRequest>;

/** A STUN or TURN server, as in `RTCConfiguration`. */
const IceServer = z.object({
  urls: z.string(),
  username: z.optional(z.string()),
  credential: z.optional(z.string()),
});

/** Response of `GET /conversations/{uuid}/voice`. */
export const VoiceOptions = z.object({
  status: z.literal(true),
  ice_servers: z.array(IceServer),
  /** Seconds after which a call ends. */
  max_seconds: z.int(),
  /** Whether calls are recorded. */
  is_recorded: z.boolean(),
});

/** Response of `POST /conversations/{uuid}/voice`. */
export const StartedCall = z.object({
  status: z.literal(true),
  /** The SDP answer, with all candidates. */
  sdp: z.string(),
  /** The capability to connect this call again. */
  call: z.string(),
  /** Seconds after which the call ends, counted from its beginning. */
  max_seconds: z.int(),
  /** Whether the call is recorded. */
  is_recorded: z.boolean(),
});

/** Query of `DELETE /conversations/{uuid}/voice`. */
export const EndVoiceQuery = z.object({
  /** The `call` of the answer to `POST`: ends only this call. Without it, the latest call of the conversation ends. */
  call: z.optional(z.string()),
});

export const readVoice = {
  ...endpoints.readVoice,
  summary: 'Returns what a browser needs to call the assistant of a conversation. Our addition.',
  auth: 'none',
  response: VoiceOptions,
  statuses: [200, 400, 403, 404, 409, 429, 503],
} as const;

export const startVoice = {
  ...endpoints.startVoice,
  summary:
    "Calls the assistant of a conversation with a browser's SDP offer, or connects a call again. Each started minute costs by mode; free in a conversation of type test. Our addition.",
  auth: 'none',
  request: StartVoiceRequest,
  response: StartedCall,
  success: 201,
  statuses: [201, 400, 403, 404, 409, 413, 422, 428, 429, 503],
} as const;

export const endVoice = {
  ...endpoints.endVoice,
  summary: 'Ends a call of a conversation. Succeeds also if it has ended. Our addition.',
  auth: 'none',
  query: EndVoiceQuery,
  response: Done,
  statuses: [200, 404, 429],
} as const;
