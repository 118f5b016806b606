import {
  endVoice,
  readVoice,
  startVoice,
  type StartedCall,
  type VoiceOptions,
} from '../contract/web-call-endpoints.ts';
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
 * @param hungUp aborted when the visitor hangs up. A challenge is then no longer solved, and its solution not sent.
 *   Unlike the signal of the options, it does not abort a request in progress.
 */
export function requestCall(
  client: ConversationClient,
  uuid: string,
  body: { readonly sdp: string; readonly call?: string | undefined },
  options: RequestOptions,
  hungUp = options.signal,
): Promise<StartedCall> {
  return withProof((proof) => {
    hungUp?.throwIfAborted();
    return client.json(startVoice, { ...options, uuid, body: { proof_of_work: proof, ...body } });
  }, hungUp);
}

/**
 * `DELETE /conversations/{uuid}/voice`: ends a call, unless it has ended.
 *
 * @param call the `call` of the response that started it
 */
export async function requestCallEnd(
  client: ConversationClient,
  uuid: string,
  call: string,
  options: RequestOptions & { readonly keepalive?: boolean } = {},
): Promise<void> {
  const path = `${endVoice.path}?call=${encodeURIComponent(call)}`;
  await client.json({ ...endVoice, path }, { ...options, uuid });
}
