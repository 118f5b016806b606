import type { Conversation } from '../contract/chat-endpoints.ts';
import { resumeConversation } from '../contract/chat-endpoints.ts';
import type { ConversationClient, RequestOptions } from './conversation-client.ts';

/** `GET /conversations/{uuid}?before=`: returns the messages before the cursor, and the cursor of the next page. */
export function readEarlier(
  client: ConversationClient,
  uuid: string,
  cursor: string,
  options: RequestOptions = {},
): Promise<Conversation> {
  const path = `${resumeConversation.path}?before=${encodeURIComponent(cursor)}`;
  return client.json({ ...resumeConversation, path }, { ...options, uuid });
}
