import type { ChatError } from '../../../client/chat-client.ts';
import { requestDeletion } from '../../../client/ending.ts';
import type { Forgotten } from './forgotten.ts';

/** Of the conversations that a service did not hear about, the latest are kept. */
const limit = 50;

/** Asks the service to forget conversations, also while the page goes away, and drops those that it has answered. */
export async function deleteForgotten(list: Forgotten, ids: string): Promise<void> {
  const all = ids.split(' ').slice(-limit);
  list.ids = all.join(' ');
  await Promise.all(
    all.map(async (id) => {
      try {
        await requestDeletion(list.client, id, { keepalive: true });
      } catch (error) {
        const { fateUnknown, code } = error as ChatError;
        // A service that cannot do it says so, and is not asked again.
        if (fateUnknown || code === 'too-many-requests') return;
      }
      list.ids = list.ids
        .split(' ')
        .filter((other) => other !== id)
        .join(' ');
    }),
  );
}
