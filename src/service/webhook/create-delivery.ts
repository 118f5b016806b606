import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { disabledReason } from '../webhook-url/disable-failing-url.ts';
import { deliveryJob } from './delivery-job.ts';

/** A delivery to create. */
export interface NewDelivery extends Pick<
  typeof webhookDeliveries.$inferInsert,
  'userId' | 'assistantId' | 'callId' | 'conversationId' | 'event' | 'url'
> {
  payload: object;
  /** Identifies the event, so that a repeated job creates no second delivery. Default: a random one. */
  webhookId?: string;
}

/**
 * Stores a delivery and its job. Call it in the transaction that stores the event, so that none is lost. If the address
 * is disabled, the delivery is stored as failed.
 *
 * @returns why nothing is sent; undefined if the address is not disabled.
 */
export async function createDelivery(
  tx: Queries,
  jobs: Jobs,
  delivery: NewDelivery,
): Promise<string | undefined> {
  const error = await disabledReason(tx, delivery);
  const [created] = await tx
    .insert(webhookDeliveries)
    .values({
      ...delivery,
      payload: JSON.stringify(delivery.payload),
      webhookId: delivery.webhookId ?? `msg_${randomUUID()}`,
      ...(error === undefined ? { nextAttemptAt: sql`now()` } : { status: 'failed' as const, error }),
    })
    .onConflictDoNothing({ target: webhookDeliveries.webhookId })
    .returning({ id: webhookDeliveries.id });
  if (created && error === undefined) {
    await jobs.send('webhook-delivery', deliveryJob({ ...delivery, id: created.id }, 0), { tx });
  }
  return error;
}
