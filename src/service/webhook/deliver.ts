import { and, eq, sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import { calls } from '../db/calls-table.ts';
import type { Database, Queries } from '../db/database.ts';
import { fitText } from '../lib/storable.ts';
import { webhookDeliveries } from '../db/webhooks-tables.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import type { OwnedUrl } from '../webhook-url/disable-failing-url.ts';
import { countFailureOrDisable, resetFailures } from '../webhook-url/disable-failing-url.ts';
import { deliveryJob } from './delivery-job.ts';
import { failPendingDeliveries, notifyOfDisabledUrl } from './notify-of-disabled-url.ts';
import { postWebhook } from './post-webhook.ts';

/** Dependencies of {@link deliver}. */
export interface DeliveryDependencies {
  database: Database;
  jobs: Jobs;
  fetch: FetchGuarded;
  /** Delays before the second, third, … attempt; after the last attempt the delivery has failed. */
  retryMs: readonly number[];
  timeoutMs: number;
  log: Logger;
}

/** The outcome of an attempt. */
type Outcome = { status: number; body: string } | { error: string };

/** Bytes of the response body that are stored. */
const maxResponseBytes = 4096;

/**
 * Makes one attempt to deliver a webhook. If the job runs again, it skips a recorded attempt; an attempt that the
 * process did not record before it died is repeated with the same webhook id.
 *
 * @param job.attempt number of earlier attempts.
 */
export async function deliver(
  dependencies: DeliveryDependencies,
  job: { deliveryId: number; attempt: number },
  signal: AbortSignal,
): Promise<void> {
  const { db } = dependencies.database;
  const isDue = and(
    eq(webhookDeliveries.id, job.deliveryId),
    eq(webhookDeliveries.status, 'pending'),
    eq(webhookDeliveries.attempts, job.attempt),
  );
  const [delivery] = await db.select().from(webhookDeliveries).where(isDue);
  if (!delivery) return;
  const { timeoutMs } = dependencies;
  const answer = await postWebhook(dependencies, delivery, {
    timeoutMs,
    maxBytes: maxResponseBytes,
    // The status decides: a receiver that has accepted the webhook must not get it again because of its body.
    incompleteBody: 'keep',
    signal,
  });
  const outcome: Outcome = 'error' in answer ? answer : { status: answer.status, body: fitText(answer.text) };

  const isDelivered = 'status' in outcome && outcome.status >= 200 && outcome.status < 300;
  const delay = isDelivered ? undefined : dependencies.retryMs[delivery.failures];
  const disabled = await db.transaction(async (tx) => {
    // The call is locked before its delivery, as when it is deleted.
    if (delivery.callId !== null) {
      await tx.select({ id: calls.id }).from(calls).where(eq(calls.id, delivery.callId)).for('no key update');
    }
    const updated = await tx
      .update(webhookDeliveries)
      .set({
        status: isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
        attempts: job.attempt + 1,
        failures: delivery.failures + (isDelivered ? 0 : 1),
        responseStatus: 'status' in outcome ? outcome.status : null,
        responseBody: 'status' in outcome ? outcome.body : null,
        error: 'error' in outcome ? outcome.error : null,
        nextAttemptAt:
          delay === undefined ? null : sql`clock_timestamp() + ${delay} * interval '1 millisecond'`,
        updatedAt: sql`now()`,
      })
      // A delivery that succeeds while its address is being disabled has succeeded.
      .where(isDelivered ? eq(webhookDeliveries.id, delivery.id) : isDue)
      .returning({ id: webhookDeliveries.id });
    if (updated.length === 0) return undefined;
    // A visitor waits for a person, so the first attempt counts, too.
    const isReported = delay === undefined || (delivery.event === 'handoff-requested' && job.attempt === 0);
    if (!isDelivered && isReported) logFailure(dependencies.log, delivery, outcome, delay !== undefined);
    if (delivery.callId !== null) {
      await tx.update(calls).set({ webhookResponse: outcome }).where(eq(calls.id, delivery.callId));
    }
    if (isDelivered) await resetFailures(tx, delivery);
    if (delay === undefined) return isDelivered ? undefined : disableFailing(tx, dependencies, delivery);
    const next = deliveryJob(delivery, job.attempt + 1);
    await dependencies.jobs.send('webhook-delivery', next, { startAfter: delay, tx });
    return undefined;
  });
  // Not in that transaction, which holds locks that the transactions of these deliveries wait for.
  if (disabled) await failPendingDeliveries(dependencies.database, delivery, disabled);
}

function logFailure(
  log: Logger,
  { id, userId, event, url }: typeof webhookDeliveries.$inferSelect,
  outcome: Outcome,
  willRetry: boolean,
): void {
  const reason = 'error' in outcome ? { error: outcome.error } : { status: outcome.status };
  const fields = { user: userId, event, delivery: id, host: hostOf(url), ...reason, willRetry };
  log.warn(fields, 'a webhook was not delivered');
}

/** The rest of a URL may contain a secret. */
const hostOf = (url: string) => URL.parse(url)?.host;

/** Disables the address of a failed delivery if all its deliveries have failed for days, and notifies its owner. */
async function disableFailing(tx: Queries, { jobs, log }: DeliveryDependencies, delivery: OwnedUrl) {
  const disabled = await countFailureOrDisable(tx, delivery);
  if (!disabled) return undefined;
  const { failures, failingSince } = disabled;
  const host = hostOf(delivery.url);
  log.warn({ user: delivery.userId, host, failures, failingSince }, 'disabled a failing webhook address');
  await notifyOfDisabledUrl(tx, jobs, delivery, disabled);
  return disabled;
}
