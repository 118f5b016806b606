import type { webhookDeliveries } from '../db/webhooks-tables.ts';
import type { QueueData } from '../jobs/queues.ts';

/** Returns the data of the job for a delivery's next attempt. */
export const deliveryJob = (
  { id, userId, event }: Pick<typeof webhookDeliveries.$inferSelect, 'id' | 'userId' | 'event'>,
  attempt: number,
): QueueData['webhook-delivery'] => ({
  deliveryId: id,
  attempt,
  userId,
  // A visitor waits for a person. Not its retries: with an address that never answers, they would hold up all others.
  ...(event === 'handoff-requested' && attempt === 0 && { isUrgent: true }),
});
