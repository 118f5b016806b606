import type { Hono } from 'hono';
import * as endpoints from '../../contract/webhook.ts';
import type { Database } from '../db/database.ts';
import type { Authenticated } from '../http/bearer-auth.ts';
import { hideUrlCredentials } from './hide-url-credentials.ts';
import { mountOperation } from '../http/mount-operation.ts';
import { paginate } from '../http/paginate.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { listDeliveries, redeliver } from '../webhook/delivery-log.ts';
import { readWebhookSecret, rotateWebhookSecret } from '../webhook/webhook-secret.ts';

/** Default page size. */
const pageSize = 15;

/** The webhook delivery log and the signing secret. Our additions. */
export function webhookRoutes(routes: Hono<Authenticated>, database: Database, jobs: Jobs): void {
  mountOperation(routes, endpoints.listWebhookDeliveries, async ({ c, userId, query }) => {
    const page = { number: query.page ?? 1, size: query.per_page ?? pageSize };
    const { total, deliveries } = await listDeliveries(database, userId, query, page);
    return paginate(c, page, total, deliveries.map(hideUrlCredentials(c)));
  });
  mountOperation(routes, endpoints.redeliverWebhook, async ({ database, userId, id }) => ({
    message: 'Webhook is being delivered again.',
    data: await redeliver(database, jobs, { id: id(), userId }),
  }));
  mountOperation(routes, endpoints.readWebhookSecret, ({ userId }) => readWebhookSecret(database, userId));
  mountOperation(routes, endpoints.rotateWebhookSecret, async ({ database, userId }) => ({
    message: 'Webhook secret rotated successfully.',
    data: await rotateWebhookSecret(database, userId),
  }));
}
