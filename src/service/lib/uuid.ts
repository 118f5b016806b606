import { ConversationError } from './conversation-error.ts';

/** Whether a path segment is a UUID, in any letter case and of any version. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/**
 * Returns the UUID of a conversation from a path, in lower case.
 *
 * @throws ConversationError if it is not a UUID, so no conversation can have it.
 */
export function requireUuid(text: string): string {
  if (!isUuid(text)) throw ConversationError.conversationNotFound();
  return text.toLowerCase();
}
