import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** A delivery to create. */
export interface NewDelivery extends Pick<
  typeof webhookDeliveries.$inferInsert,
  'userId' | 'assistantId' | 'callId' | 'conversationId' | 'event' | 'url'
> {
  payload: object;
}

/** Stores a delivery and its job. Call it in the transaction that stores the event, so that none is lost. */
export async function createDelivery(tx: Queries, jobs: Jobs, delivery: NewDelivery): Promise<void> {
  const [created] = await tx
    .insert(webhookDeliveries)
    .values({
      ...delivery,
      payload: JSON.stringify(delivery.payload),
      webhookId: `msg_${randomUUID()}`,
      nextAttemptAt: sql`now()`,
    })
    .returning({ id: webhookDeliveries.id });
  if (!created) throw new Error('The delivery was not stored.');
  await jobs.send(
    'webhook-delivery',
    { deliveryId: created.id, attempt: 0, userId: delivery.userId },
    { tx },
  );
}
