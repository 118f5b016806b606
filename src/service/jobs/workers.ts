import type { Logger } from 'pino';
import type { Calls } from '../call/calls.ts';
import type { Carrier } from '../carrier/carrier.ts';
import { runCampaign } from '../campaign/run-campaign.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { endingWorkers } from '../ending/ending-workers.ts';
import type { Engine } from '../engine/engine.ts';
import { embedAlone } from '../knowledge/embed-alone.ts';
import type { Embedder } from '../knowledge/embedder.ts';
import { processDocument } from '../knowledge/process-document.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { removeCallerId } from '../phone-number/remove-caller-id.ts';
import { cleanUp } from '../retention/clean-up.ts';
import { webhookWorker } from '../webhook/webhook-worker.ts';
import type { Jobs } from './jobs.ts';
import type { QueueData, QueueName } from './queues.ts';

/** Who does the jobs of one queue. */
interface WorkerOf<Name extends QueueName> {
  queue: Name;
  /** Jobs that one process works on at the same time; 2 by default. */
  atOnce?: number;
  /**
   * Does a job. It runs at least once, so it looks at how things are in the transaction that changes them. On PGlite,
   * which has one session, no transaction may be held while waiting for anything but the database.
   *
   * @param signal is aborted when the job took too long, is no longer this process's, or the process is ending; a job
   *   that is cut off runs again.
   * @param isLastTry whether nobody will try again if this fails.
   * @throws anything to be tried again, as often as the queue's rules allow.
   */
  handle(data: QueueData[Name], signal: AbortSignal, isLastTry: boolean): Promise<void>;
}

export type Worker = { [Name in QueueName]: WorkerOf<Name> }[QueueName];

/** What background jobs are done with. */
export interface WorkerContext {
  config: Config;
  database: Database;
  jobs: Jobs;
  /** Makes requests to addresses that users chose. */
  fetch: FetchGuarded;
  /** Where others find the service. */
  publicUrl: () => string;
  /** The calls that this process makes. */
  calls: Calls;
  carrier: Carrier;
  engine: Engine;
  embedder?: Embedder | undefined;
  log: Logger;
}

/** Everything that is done in the background. */
export const createWorkers = (context: WorkerContext): Worker[] => [
  ...endingWorkers(context),
  webhookWorker(context),
  {
    queue: 'process-document',
    // One that takes its time should not hold up all others; each may take a lot of memory.
    atOnce: 3,
    handle: ({ documentId }, signal, isLastTry) => processDocument(context, documentId, signal, isLastTry),
  },
  { queue: 'place-call', atOnce: 10, handle: ({ callId }) => context.calls.start(callId) },
  {
    queue: 'campaign-tick',
    handle: ({ campaignId }) =>
      runCampaign({ ...context, pollMs: context.config.campaignPollMs }, campaignId, new Date()),
  },
  { queue: 'remove-caller-id', handle: ({ phoneNumber }) => removeCallerId(context, phoneNumber) },
  {
    queue: 'clean-up',
    atOnce: 1,
    handle: (_, signal) => cleanUp({ ...context, retentionDays: context.config.retentionDays }, signal),
  },
  {
    queue: 'embed-chunks',
    atOnce: 1,
    handle: async (_, signal) => {
      if (context.embedder) await embedAlone({ ...context, embedder: context.embedder }, signal);
    },
  },
];
