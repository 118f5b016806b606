import type { ChatError } from '../../../client/chat-client.ts';
import { requestDeletion } from '../../../client/stop-and-delete.ts';
import type { PendingDeletions } from './pending-deletions.ts';

/** Maximum number of conversations whose deletion is still to be requested; the oldest are dropped. */
const limit = 50;

/** Requests the deletion of conversations, even while the page closes. Answered requests are removed from the list. */
export async function requestDeletions(list: PendingDeletions, ids: string): Promise<void> {
  const all = ids.split(' ').slice(-limit);
  list.ids = all.join(' ');
  await Promise.all(
    all.map(async (id) => {
      try {
        await requestDeletion(list.client, id, { keepalive: true });
      } catch (error) {
        const { outcomeUnknown, code } = error as ChatError;
        if (outcomeUnknown) addEventListener('online', list, { once: true });
        // A service without this operation refuses, and is not asked again.
        if (outcomeUnknown || code === 'too-many-requests') return;
      }
      list.ids = list.ids
        .split(' ')
        .filter((other) => other !== id)
        .join(' ');
    }),
  );
}
