import { and, eq, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';

/** Marks a pending delivery as failed that the service could not attempt for a week. */
export async function failDelivery({ db }: Database, deliveryId: number): Promise<void> {
  const { id, status } = webhookDeliveries;
  await db
    .update(webhookDeliveries)
    .set({
      status: 'failed',
      nextAttemptAt: null,
      updatedAt: sql`now()`,
      error: 'the service could not deliver it',
    })
    .where(and(eq(id, deliveryId), eq(status, 'pending')));
}
