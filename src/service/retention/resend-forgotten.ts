import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';

/** Jobs of one queue that are sent again in one round; the next round takes the rest. */
const batch = 500;

/** After an hour a job has either done its work or been given up, unless it still waits in its queue. */
const isForgotten = (moment: SQL) =>
  sql`${moment} BETWEEN now() - interval '7 days' AND now() - interval '1 hour'`;

/**
 * Sends the jobs again that failed at every try, because the database was away, say: ends that nobody was told of, and
 * webhooks that still wait. Week after week would be too much. @returns how many.
 */
export async function resendForgotten({ db }: Database, jobs: Jobs): Promise<number> {
  const { rows: conversations } = await db.execute<{ id: string }>(sql`
    SELECT id FROM conversations WHERE ${isForgotten(sql`ended_at`)}
      AND (end_handled_until IS NULL OR end_handled_until < updated_at)
      AND EXISTS (SELECT 1 FROM messages
        WHERE conversation_id = conversations.id AND role = 'user' AND reply_state <> 'failed')
    ORDER BY ended_at LIMIT ${batch}`);
  for (const { id } of conversations) await jobs.send('conversation-ended', { conversationId: Number(id) });
  const { rows: calls } = await db.execute<{ id: number }>(sql`
    SELECT id FROM calls WHERE ${isForgotten(sql`ended_at`)}
      AND end_handled_at IS NULL AND assistant_id IS NOT NULL
    ORDER BY ended_at LIMIT ${batch}`);
  for (const { id } of calls) await jobs.send('call-ended', { callId: id });
  const { rows: deliveries } = await db.execute<{ id: number; attempt: number }>(sql`
    SELECT id, attempts AS attempt FROM webhook_deliveries
    WHERE status = 'pending' AND ${isForgotten(sql`next_attempt_at`)}
    ORDER BY next_attempt_at LIMIT ${batch}`);
  for (const { id, attempt } of deliveries) await jobs.send('webhook-delivery', { deliveryId: id, attempt });
  return conversations.length + calls.length + deliveries.length;
}

/** Fails the webhooks that could not even be tried for a week. @returns how many. */
export async function failForgottenDeliveries({ db }: Database, jobs: Jobs): Promise<number> {
  const { rows } = await db.execute<{ id: number; attempt: number }>(sql`
    SELECT id, attempts AS attempt FROM webhook_deliveries
    WHERE status = 'pending' AND next_attempt_at < now() - interval '7 days'
    ORDER BY next_attempt_at LIMIT ${batch}`);
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
