import { executeServerCommand } from '@web/test-runner-commands';
import type { OwnerRequest } from './owner-commands.ts';

/** Sends a request of the service's owner. */
const owner = (path: string, body: Record<string, unknown> = {}) =>
  executeServerCommand<Record<string, unknown>, OwnerRequest>('owner:request', {
    method: 'POST',
    path,
    body,
  });

/** A person hands the conversation back to the assistant. */
export async function handBack(conversationId: string): Promise<void> {
  await owner(`../automate/conversations/${conversationId}/enable-ai`);
}

/** A person takes over and writes, with their name if `author` is set. */
export async function takeOverAndWrite(
  conversationId: string,
  message: string,
  author?: string,
): Promise<void> {
  await owner(`../automate/conversations/${conversationId}/disable-ai`);
  await owner(`conversations/${conversationId}/messages`, { message, author });
}
