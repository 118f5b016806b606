import type { Logger } from 'pino';
import type { CallRunner } from './call/call-runner.ts';
import { runCampaign } from './campaign/run-campaign.ts';
import type { Carrier } from './carrier/carrier.ts';
import type { CarrierNumbers } from './carrier/carrier-numbers.ts';
import type { Config } from './config.ts';
import type { Database } from './db/database.ts';
import { handleCallEnded } from './evaluation/call-ended.ts';
import { handleConversationEnded } from './evaluation/conversation-ended.ts';
import type { Engine } from './engine/engine.ts';
import type { Jobs } from './jobs/jobs.ts';
import { queues } from './jobs/queues.ts';
import type { Worker } from './jobs/work.ts';
import { embedChunks } from './knowledge/embed-chunks.ts';
import type { Embedder } from './knowledge/embedder.ts';
import { Extractor } from './knowledge/extract/extractor.ts';
import { failDocument } from './knowledge/fail-document.ts';
import { processDocument } from './knowledge/process-document.ts';
import type { FetchGuarded } from './outgoing/fetch-guarded.ts';
import { completePurchase } from './phone-number/purchase.ts';
import { releaseAtCarrier } from './phone-number/release-number.ts';
import { removeCallerId } from './phone-number/remove-caller-id.ts';
import { runHourlyMaintenance } from './hourly-maintenance.ts';
import { deliver } from './webhook/deliver.ts';
import { failDelivery } from './webhook/fail-delivery.ts';
import { notifyOfHandoff } from './webhook/notify-of-handoff.ts';
import { notifyOfUsage } from './webhook/notify-of-usage.ts';

/** The parts of the service that background jobs use. */
export interface WorkerContext {
  config: Config;
  database: Database;
  jobs: Jobs;
  /** Makes requests to addresses that users chose. */
  fetch: FetchGuarded;
  /** The service's public address. */
  publicUrl: () => string;
  /** The calls that this process makes. */
  calls: CallRunner;
  carrier: Carrier;
  /** The numbers that the carrier sells. */
  numbers: CarrierNumbers | undefined;
  engine: Engine;
  embedder?: Embedder | undefined;
  log: Logger;
}

/** Returns the workers of every queue. */
export function createWorkers(context: WorkerContext): Worker[] {
  const { config, calls, carrier, embedder } = context;
  const extractor = new Extractor();
  const ending = { ...context, timeoutMs: config.reply.timeoutMs };
  return [
    // They mostly wait for evaluations. Those of a model that hangs must leave room for the others.
    {
      queue: 'conversation-ended',
      concurrency: 10,
      handle: (...job) => handleConversationEnded(ending, ...job),
    },
    { queue: 'call-ended', concurrency: 10, handle: (...job) => handleCallEnded(ending, ...job) },
    {
      queue: 'webhook-delivery',
      // Deliveries mostly wait for other servers; those of one owner must leave room for the others'.
      concurrency: 10,
      concurrencyPerOwner: 3,
      handle: (job, signal) => deliver({ ...context, ...config.webhooks }, job, signal),
    },
    { queue: 'fail-delivery', handle: ({ deliveryId }) => failDelivery(context.database, deliveryId) },
    { queue: 'usage-notice', concurrency: 1, handle: (notice) => notifyOfUsage(context, notice) },
    { queue: 'handoff-notice', handle: (notice) => notifyOfHandoff(context, notice) },
    {
      queue: 'process-document',
      // A slow website must not delay all others. The extractor limits how many documents are read at once.
      concurrency: 3,
      concurrencyPerOwner: 2,
      handle: ({ documentId }, signal, retryCount) => {
        const isLastTry = retryCount >= queues['process-document'].rules.retryLimit;
        return processDocument({ ...context, extractor }, documentId, signal, isLastTry);
      },
    },
    { queue: 'fail-document', handle: ({ documentId }) => failDocument(context.database, documentId) },
    {
      queue: 'place-call',
      concurrency: 10,
      concurrencyPerOwner: 5,
      handle: ({ callId }) => calls.dial(callId),
    },
    {
      queue: 'ring-number',
      concurrency: 10,
      handle: async (call) => {
        await carrier.ring?.(call);
      },
    },
    {
      queue: 'campaign-tick',
      handle: ({ campaignId }) => runCampaign({ ...context, limits: config.calls }, campaignId),
    },
    {
      queue: 'complete-purchase',
      handle: async ({ phoneNumberId }) => {
        await completePurchase(context, phoneNumberId);
      },
    },
    { queue: 'release-number', handle: ({ phoneNumber }) => releaseAtCarrier(context, phoneNumber) },
    { queue: 'hang-up', handle: ({ carrierCallId }) => carrier.hangUp(carrierCallId) },
    {
      queue: 'delete-recording',
      handle: async ({ recordingId }) => {
        await carrier.deleteRecording?.(recordingId);
      },
    },
    { queue: 'remove-caller-id', handle: ({ phoneNumber }) => removeCallerId(context, phoneNumber) },
    {
      queue: 'hourly-maintenance',
      concurrency: 1,
      handle: (_, signal) => runHourlyMaintenance({ ...config, ...context }, signal),
    },
    {
      queue: 'embed-chunks',
      concurrency: 1,
      handle: async (_, signal) => {
        if (embedder) await embedChunks({ ...context, embedder }, signal);
      },
    },
  ];
}
