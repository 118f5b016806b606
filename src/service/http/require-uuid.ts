import { ConversationError } from '../conversation/conversation-error.ts';
import { isUuid } from './is-uuid.ts';

/**
 * A conversation's UUID from a path, in lower case. What is none cannot be a conversation's.
 *
 * @throws ConversationError
 */
export function requireUuid(text: string): string {
  if (!isUuid(text)) throw ConversationError.conversationNotFound();
  return text.toLowerCase();
}
