import { eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { UsageWebhook } from '../../contract/webhook.ts';
import type { Database } from '../db/database.ts';
import { assistants } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { QueueData } from '../jobs/queues.ts';
import { isFirstNotice } from '../usage/daily-usage.ts';
import { createDelivery } from './create-delivery.ts';

/** Logs that a daily limit of an assistant is nearly or fully used up, and notifies its owner by webhook. */
export async function notifyOfUsage(
  { database, jobs, log }: { database: Database; jobs: Jobs; log: Logger },
  notice: QueueData['usage-notice'],
): Promise<void> {
  const { assistantId, limit, max, used, percent, day } = notice;
  await database.transaction(async (tx) => {
    if (!(await isFirstNotice(tx, notice))) return;
    const [assistant] = await tx
      .select({ uuid: assistants.uuid, userId: assistants.userId, url: assistants.usageWebhookUrl })
      .from(assistants)
      .where(eq(assistants.id, assistantId));
    if (!assistant) return;
    log.warn(
      { assistant: assistant.uuid, limit, max, used },
      percent === 80 ? 'most of a daily limit is used' : 'a daily limit is used up',
    );
    if (assistant.url === null) return;
    const { userId, url } = assistant;
    const payload: UsageWebhook = { assistant_id: assistant.uuid, limit, max, used, day };
    await createDelivery(tx, jobs, { userId, assistantId, event: 'usage-limit', url, payload });
  });
}
