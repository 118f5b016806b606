import { and, eq, ne, sql } from 'drizzle-orm';
import type { WebhookDeliveriesQuery } from '../../contract/webhook.ts';
import { assistants } from '../db/assistants-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { countRecords, readTotal } from '../db/list-totals.ts';
import { newestPage } from '../db/newest-page.ts';
import { hasDays, isOnDays } from '../db/is-on-days.ts';
import { conversations } from '../db/schema.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import { wireColumns } from '../db/wire-columns.ts';
import type { Page } from '../db/newest-page.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { deliveryJob } from './delivery-job.ts';

const record = {
  ...wireColumns(webhookDeliveries, ['user_id', 'conversation_id', 'payload', 'failures']),
  conversation_id: sql<string | null>`(
    SELECT ${conversations.uuid} FROM ${conversations} WHERE ${conversations.id} = ${webhookDeliveries.conversationId})`,
};

/** Lists one page of the deliveries that match the filters, newest first, with their total number. */
export async function listDeliveries(
  { db }: Database,
  userId: number,
  query: WebhookDeliveriesQuery,
  page: Page,
) {
  const { status, event, assistant_id: assistantId } = query;
  const filter = and(
    eq(webhookDeliveries.userId, userId),
    status === undefined ? undefined : eq(webhookDeliveries.status, status),
    event === undefined ? undefined : eq(webhookDeliveries.event, event),
    assistantId === undefined ? undefined : eq(webhookDeliveries.assistantId, assistantId),
    isOnDays(webhookDeliveries.createdAt, query),
  );
  const total = hasDays(query)
    ? await countRecords(db, webhookDeliveries, filter)
    : await readTotal(db, 'webhook_deliveries', userId, { status, type: event, assistant_id: assistantId });
  const deliveries = await newestPage(
    db.select(record).from(webhookDeliveries).where(filter).$dynamic(),
    webhookDeliveries.id,
    page,
  );
  return { total, deliveries };
}

/** A delivery's id with the user who must own the delivery. */
interface OwnedDelivery {
  id: number;
  userId: number;
}

const isOwned = ({ id, userId }: OwnedDelivery) =>
  and(eq(webhookDeliveries.id, id), eq(webhookDeliveries.userId, userId));

/** The address that the assistant has for the event now, which may have been corrected. Without one, the stored address. */
const currentUrl = sql`coalesce((
  SELECT CASE ${webhookDeliveries.event}
    WHEN 'call-ended' THEN ${assistants.webhookUrl}
    WHEN 'inbound-call-started' THEN ${assistants.inboundWebhookUrl}
    WHEN 'inbound-call-ended' THEN ${assistants.inboundWebhookUrl}
    WHEN 'conversation-ended' THEN ${assistants.conversationEndedWebhookUrl}
    WHEN 'handoff-requested' THEN ${assistants.handoffWebhookUrl}
    WHEN 'usage-limit' THEN ${assistants.usageWebhookUrl}
  END FROM ${assistants} WHERE ${assistants.id} = ${webhookDeliveries.assistantId}), ${webhookDeliveries.url})`;

/**
 * Delivers a webhook again, to the current address, with the same webhook id and the full number of attempts.
 *
 * @throws Refusal if the delivery does not exist or is still pending.
 */
export async function redeliver({ db }: Database, jobs: Jobs, owned: OwnedDelivery) {
  return db.transaction(async (tx) => {
    const [restarted] = await tx
      .update(webhookDeliveries)
      .set({
        status: 'pending',
        url: currentUrl,
        failures: 0,
        nextAttemptAt: sql`now()`,
        updatedAt: sql`now()`,
      })
      .where(and(isOwned(owned), ne(webhookDeliveries.status, 'pending')))
      .returning({ event: webhookDeliveries.event, attempts: webhookDeliveries.attempts });
    const found = await readDelivery(tx, owned);
    if (!found) throw Refusal.notFound('Webhook delivery');
    if (!restarted) throw new Refusal(409, { message: 'The delivery is still pending.' });
    const { event, attempts } = restarted;
    await jobs.send('webhook-delivery', deliveryJob({ ...owned, event }, attempts), { tx });
    return found;
  });
}

async function readDelivery(queries: Queries, owned: OwnedDelivery) {
  const [found] = await queries.select(record).from(webhookDeliveries).where(isOwned(owned));
  return found;
}
