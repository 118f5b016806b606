import { requestAsOwner } from './request-as-owner.ts';

/** A person hands the conversation back to the assistant. */
export async function handBack(conversationId: string): Promise<void> {
  await requestAsOwner(`../automate/conversations/${conversationId}/enable-ai`);
}

/** A person takes over and writes, with their name if `author` is set. */
export async function takeOverAndWrite(
  conversationId: string,
  message: string,
  author?: string,
): Promise<void> {
  await requestAsOwner(`../automate/conversations/${conversationId}/disable-ai`);
  await requestAsOwner(`conversations/${conversationId}/messages`, { message, author });
}
