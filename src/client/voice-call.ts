import {
  endVoice,
  readVoice,
  startVoice,
  type StartedCall,
  type VoiceOptions,
} from '../contract/voice-endpoints.ts';
import type { ConversationClient, RequestOptions } from './conversation-client.ts';
import { withProof } from './with-proof.ts';

/* Calls by WebRTC. Separate from the client, because a page loads them only when a visitor calls. */

/** `GET /conversations/{uuid}/voice`: returns the ICE servers for a call, and its longest duration. */
export function readVoiceOptions(
  client: ConversationClient,
  uuid: string,
  options: RequestOptions = {},
): Promise<VoiceOptions> {
  return client.json(readVoice, { ...options, uuid });
}

/**
 * `POST /conversations/{uuid}/voice`: starts a call with an SDP offer.
 *
 * @param body the offer, and `call` of an earlier response to connect that call again
 */
export function requestCall(
  client: ConversationClient,
  uuid: string,
  body: { readonly sdp: string; readonly call?: string | undefined },
  options: RequestOptions,
): Promise<StartedCall> {
  return withProof(
    (proof) => client.json(startVoice, { ...options, uuid, body: { proof_of_work: proof, ...body } }),
    options.signal,
  );
}

/** `DELETE /conversations/{uuid}/voice`: ends the call, if there is one. */
export async function requestCallEnd(
  client: ConversationClient,
  uuid: string,
  options: RequestOptions & { readonly keepalive?: boolean } = {},
): Promise<void> {
  await client.json(endVoice, { ...options, uuid });
}
