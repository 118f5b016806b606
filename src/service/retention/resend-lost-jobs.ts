import { and, eq, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { QueueData, QueueName } from '../jobs/queues.ts';
import { deliveryJob } from '../jobs/delivery-job.ts';

/** Jobs per queue and run; the next run continues. */
const batchSize = 500;

/** Matches work whose job must have completed or failed an hour after it was due, unless it still waits. */
const isLost = (due: SQL) => sql`${due} BETWEEN now() - interval '7 days' AND now() - interval '1 hour'`;

/**
 * Sends jobs again that failed at every try, for example while the database was unavailable: unhandled ends of
 * conversations and calls, and pending webhooks. Gives up after a week.
 *
 * @returns the number of sent jobs.
 */
export async function resendLostJobs({ db }: Database, jobs: Jobs): Promise<number> {
  let sent = 0;
  // A retry may wait for longer than an hour. It has the number of its attempt.
  const sendUnlessPending = async <Name extends QueueName>(queue: Name, data: QueueData[Name]) => {
    if (await jobs.isPending(queue, data)) return;
    await jobs.send(queue, data);
    sent++;
  };
  const { rows: conversations } = await db.execute<{ id: string }>(sql`
    SELECT id FROM conversations WHERE ${isLost(sql`ended_at`)}
      AND (end_handled_until IS NULL OR end_handled_until < updated_at)
      AND EXISTS (SELECT 1 FROM messages
        WHERE conversation_id = conversations.id AND role = 'user' AND reply_state <> 'failed')
    ORDER BY ended_at LIMIT ${batchSize}`);
  for (const { id } of conversations)
    await sendUnlessPending('conversation-ended', { conversationId: Number(id) });
  const { rows: calls } = await db.execute<{ id: number }>(sql`
    SELECT id FROM calls WHERE ${isLost(sql`ended_at`)}
      AND end_handled_at IS NULL AND assistant_id IS NOT NULL
    ORDER BY ended_at LIMIT ${batchSize}`);
  for (const { id } of calls) await sendUnlessPending('call-ended', { callId: id });
  const { id, userId, event, attempts, status, nextAttemptAt } = webhookDeliveries;
  const deliveries = await db
    .select({ id, userId, event, attempts })
    .from(webhookDeliveries)
    .where(and(eq(status, 'pending'), isLost(sql`${nextAttemptAt}`)))
    .orderBy(nextAttemptAt)
    .limit(batchSize);
  for (const delivery of deliveries)
    await sendUnlessPending('webhook-delivery', deliveryJob(delivery, delivery.attempts));
  return sent;
}

/**
 * Marks webhooks as failed that could not be attempted for a week.
 *
 * @returns the number of failed webhooks.
 */
export async function failLostDeliveries({ db }: Database, jobs: Jobs): Promise<number> {
  const { rows } = await db.execute<{ id: number; attempt: number }>(sql`
    SELECT id, attempts AS attempt FROM webhook_deliveries
    WHERE status = 'pending' AND next_attempt_at < now() - interval '7 days'
    ORDER BY next_attempt_at LIMIT ${batchSize}`);
  let failed = 0;
  for (const { id, attempt } of rows) {
    if (await jobs.isPending('webhook-delivery', { deliveryId: id, attempt })) continue;
    const { rows: ended } = await db.execute(sql`
      UPDATE webhook_deliveries
      SET status = 'failed', next_attempt_at = NULL, updated_at = now(), error = 'the service could not deliver it'
      WHERE id = ${id} AND status = 'pending' RETURNING id`);
    failed += ended.length;
  }
  return failed;
}
