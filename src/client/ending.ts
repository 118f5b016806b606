import { deleteConversation, stopReply } from '../contract/chat-endpoints.ts';
import type { Call, ConversationClient, RequestOptions } from './conversation-client.ts';
import type { ChatError } from './errors.ts';

/*
 * The operations that end a reply or a conversation: apart from the client's others, because a page loads them only
 * when a visitor asks for one.
 */

/**
 * `POST /conversations/{uuid}/stop`: ends the reply under way, wherever it is written; what it has said so far
 * becomes the answer. Well also where there is no reply, no conversation, or no such operation.
 */
export function requestStop(
  client: ConversationClient,
  uuid: string,
  options: RequestOptions = {},
): Promise<void> {
  return unlessGone(client, stopReply, { ...options, uuid });
}

/** Options of a deletion. */
export interface DeletionOptions extends RequestOptions {
  /** Lets the request outlive the page. */
  readonly keepalive?: boolean | undefined;
}

/** `DELETE /conversations/{uuid}`: forgets the conversation. Well also where it is gone already. */
export function requestDeletion(
  client: ConversationClient,
  uuid: string,
  options: DeletionOptions = {},
): Promise<void> {
  return unlessGone(client, deleteConversation, { ...options, uuid });
}

async function unlessGone(
  client: ConversationClient,
  endpoint: typeof stopReply | typeof deleteConversation,
  call: Call,
): Promise<void> {
  try {
    await client.json(endpoint, call, 'conversation-not-found');
  } catch (error) {
    if ((error as ChatError).code !== 'conversation-not-found') throw error;
  }
}
