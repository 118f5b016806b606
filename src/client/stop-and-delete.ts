import { deleteConversation, stopReply } from '../contract/messaging-endpoints.ts';
import type { Call, ConversationClient, RequestOptions } from './conversation-client.ts';
import type { ChatError } from './chat-error.ts';

/*
 * Stopping a reply and deleting a conversation. Separate from the client, because a page loads them only when a visitor
 * needs them.
 */

/**
 * `POST /conversations/{uuid}/stop`: stops the current reply; its text so far becomes the answer. Resolves even if no
 * reply is in progress, the conversation does not exist, or the service does not support the operation.
 */
export function requestStop(
  client: ConversationClient,
  uuid: string,
  options: RequestOptions = {},
): Promise<void> {
  return ignoreNotFound(client, stopReply, { ...options, uuid });
}

/** Options of a deletion. */
export interface DeletionOptions extends RequestOptions {
  /** Lets the request outlive the page, as the option of `fetch`. */
  readonly keepalive?: boolean | undefined;
}

/** `DELETE /conversations/{uuid}`: deletes the conversation. Resolves even if it does not exist. */
export function requestDeletion(
  client: ConversationClient,
  uuid: string,
  options: DeletionOptions = {},
): Promise<void> {
  return ignoreNotFound(client, deleteConversation, { ...options, uuid });
}

async function ignoreNotFound(
  client: ConversationClient,
  endpoint: typeof stopReply | typeof deleteConversation,
  call: Call,
): Promise<void> {
  try {
    await client.json(endpoint, call);
  } catch (error) {
    const { code, status } = error as ChatError;
    // Some services answer without a body.
    if (status !== 204 && code !== 'conversation-not-found') throw error;
  }
}
