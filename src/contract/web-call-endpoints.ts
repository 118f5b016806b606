import * as z from 'zod/mini';
import { Done } from './chat-endpoints.ts';
import { prepareSchemas } from './prepare-schemas.ts';

/*
 * Calls of a visitor by WebRTC: additions of our service. Separate from the other conversation endpoints, so that a page
 * loads them only with a call.
 */

prepareSchemas();

/** Error texts of calls by which a browser identifies the error. */
export const callRefusals = {
  callInProgress: 'A call is in progress',
  callEnded: 'The call has ended',
  /** Followed by the limit. */
  limitReached: 'Call limit reached.',
} as const;

/** Response of `GET /conversations/{uuid}/voice`. */
export const VoiceOptions = z.looseObject({
  status: z.literal(true),
  /** STUN and TURN servers, as in `RTCConfiguration`. */
  ice_servers: z.catch(z.array(z.looseObject({})), []),
});
export type VoiceOptions = z.infer<typeof VoiceOptions>;

/** Response of `POST /conversations/{uuid}/voice`. */
export const StartedCall = z.looseObject({
  status: z.literal(true),
  /** The SDP answer. */
  sdp: z.string(),
  /** Identifies the call: connects it again if its connection was lost, and ends it. */
  call: z.catch(z.string(), ''),
});
export type StartedCall = z.infer<typeof StartedCall>;

const path = '/api/conversations/:uuid/voice';

/** Reads what a browser needs for a call. */
export const readVoice = {
  method: 'GET',
  path,
  response: VoiceOptions,
} as const;

/** Starts a call with an SDP offer, or connects a call again. */
export const startVoice = {
  method: 'POST',
  path,
  response: StartedCall,
} as const;

/** Ends a call of a conversation. Succeeds also if it has ended. */
export const endVoice = {
  method: 'DELETE',
  path,
  response: Done,
} as const;
