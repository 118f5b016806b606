import { and, eq, isNotNull, isNull, ne, sql } from 'drizzle-orm';
import type { WebhookDisabledWebhook } from '../../contract/webhook.ts';
import type { Database, Queries } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { splitCredentials } from '../outgoing/url-credentials.ts';
import { disabledSince } from '../webhook-url/disable-failing-url.ts';
import type { DisabledUrl, OwnedUrl } from '../webhook-url/disable-failing-url.ts';
import { createDelivery } from './create-delivery.ts';

/** Sends a webhook about a disabled address to the usage webhooks of the assistants that have it. */
export async function notifyOfDisabledUrl(
  tx: Queries,
  jobs: Jobs,
  { userId, url }: OwnedUrl,
  disabled: DisabledUrl,
): Promise<void> {
  const { webhookUrl, inboundWebhookUrl, conversationEndedWebhookUrl, handoffWebhookUrl, usageWebhookUrl } =
    assistants;
  const concerned = await tx
    .select({
      usageUrl: usageWebhookUrl,
      ids: sql<string[]>`array_agg(${assistants.uuid}::text ORDER BY ${assistants.id})`,
    })
    .from(assistants)
    .where(
      and(
        eq(assistants.userId, userId),
        isNull(assistants.deletedAt),
        isNotNull(usageWebhookUrl),
        ne(usageWebhookUrl, url),
        sql`${url} IN (${webhookUrl}, ${inboundWebhookUrl}, ${conversationEndedWebhookUrl}, ${handoffWebhookUrl})`,
      ),
    )
    .groupBy(usageWebhookUrl);
  for (const { usageUrl, ids } of concerned) {
    if (usageUrl === null) continue;
    const payload: WebhookDisabledWebhook = {
      // Another server receives the notice.
      disabled_webhook_url: splitCredentials(url).address,
      assistant_ids: ids,
      failed_deliveries: disabled.failures,
      failing_since: disabled.failingSince,
      disabled_at: disabled.disabledAt,
    };
    await createDelivery(tx, jobs, { userId, event: 'webhook-disabled', url: usageUrl, payload });
  }
}

/** Marks the pending deliveries to a disabled address as failed. */
export async function failPendingDeliveries(
  { db }: Database,
  { userId, url }: OwnedUrl,
  { disabledAt }: DisabledUrl,
): Promise<void> {
  await db
    .update(webhookDeliveries)
    .set({ status: 'failed', error: disabledSince(disabledAt), nextAttemptAt: null, updatedAt: sql`now()` })
    .where(
      and(
        eq(webhookDeliveries.userId, userId),
        eq(webhookDeliveries.url, url),
        eq(webhookDeliveries.status, 'pending'),
      ),
    );
}
