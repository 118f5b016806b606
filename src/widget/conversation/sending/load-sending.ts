import { ChatError } from '../../../client/chat-client.ts';
import { loadModule } from '../../load-module.ts';
import type * as sending from './sending.ts';

/**
 * Loads everything that a conversation needs from the first message on: the only lazy module of the conversation.
 *
 * @throws {ChatError} `network` if it cannot be loaded; a later call tries again
 */
export async function loadSending(): Promise<typeof sending> {
  try {
    return await loadModule(() => import('./sending.ts'));
  } catch (cause) {
    throw new ChatError('network', 'A part of the chat could not be loaded.', { cause });
  }
}
