import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** What is to be delivered. */
export interface NewDelivery extends Pick<
  typeof webhookDeliveries.$inferInsert,
  'userId' | 'assistantId' | 'callId' | 'conversationId' | 'event' | 'url'
> {
  payload: object;
}

/** Stores a delivery with the job that makes it: in the transaction of what it tells of, so that neither is lost. */
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
  await jobs.send('webhook-delivery', { deliveryId: created.id, attempt: 0 }, { tx });
}
