import type { Worker, WorkerContext } from '../jobs/workers.ts';
import { deliver } from './deliver.ts';

/** Deliveries that one process makes at the same time: most of each is waiting for somebody else's server. */
const atOnce = 10;

/** Delivers webhooks. */
export const webhookWorker = (context: WorkerContext): Worker => ({
  queue: 'webhook-delivery',
  atOnce,
  handle: (job, signal) => deliver({ ...context, ...context.config.webhooks }, job, signal),
});
