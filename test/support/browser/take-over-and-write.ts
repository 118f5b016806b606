import { executeServerCommand } from '@web/test-runner-commands';
import type { OwnerRequest } from './owner-commands.ts';

/** Sends a request of the service's owner. */
const owner = (path: string, body: Record<string, unknown> = {}) =>
  executeServerCommand<Record<string, unknown>, OwnerRequest>('owner:request', {
    method: 'POST',
    path,
    body,
  });

/** A person takes over and writes. */
export async function takeOverAndWrite(conversationId: string, message: string): Promise<void> {
  await owner(`../automate/conversations/${conversationId}/disable-ai`);
  await owner(`conversations/${conversationId}/messages`, { message });
}
