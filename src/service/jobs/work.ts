import { setImmediate } from 'node:timers/promises';
import type { JobWithMetadata } from 'pg-boss';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { Notifications } from '../db/notifications.ts';
import { waitWithTimeout } from '../lib/with-timeout.ts';
import { createBoss } from './boss.ts';
import type { StoredJobs } from './jobs.ts';
import { leaseSeconds } from './queues.ts';
import type { QueueData, QueueName } from './queues.ts';

/** pg-boss's own polling interval. In between, notifications, timers and the polling below wake a worker. */
const slowestPollSeconds = 3600;

interface WorkerOf<Name extends QueueName> {
  queue: Name;
  /** Number of jobs that a process runs at the same time; 2 by default. */
  concurrency?: number;
  /**
   * Number of an owner's jobs that run at the same time in all processes together; unlimited by default. It is
   * approximate: fetches at the same moment do not see each other's jobs.
   */
  concurrencyPerOwner?: number;
  /**
   * Runs a job, at least once; an error leads to a retry. PGlite has one session, so no transaction may be held while
   * waiting for anything but the database. The signal is aborted when the job times out, another process takes it
   * over, or the process stops. `retryCount` is the number of earlier tries.
   */
  handle(data: QueueData[Name], signal: AbortSignal, retryCount: number): Promise<void>;
}
/** Runs the jobs of one queue. */
export type Worker = { [Name in QueueName]: WorkerOf<Name> }[QueueName];

/**
 * Starts running jobs. pg-boss announces immediate jobs; delayed jobs and retries of this process have timers.
 *
 * @param pollMs interval of polling for other jobs, such as those of processes that died.
 * @returns a function that stops it: it waits up to the given milliseconds for running jobs and requeues the rest.
 */
export async function startWork(
  database: Database,
  jobs: StoredJobs,
  workers: Worker[],
  pollMs: number,
  log: Logger,
): Promise<(milliseconds: number) => Promise<void>> {
  const heartbeat = leaseSeconds / 3;
  // Monitoring takes place once per interval, however many processes there are.
  const bossOptions = {
    useListenNotify: true,
    supervise: true,
    superviseIntervalSeconds: heartbeat,
    monitorIntervalSeconds: heartbeat - 1,
    // Deletes finished jobs.
    maintenanceIntervalSeconds: 60,
    flowIntervalSeconds: 86_400,
  };
  const boss = createBoss(database.pool, bossOptions, (channel, _, onReconnect) => {
    // pg-boss would wake all workers of the queue, and their simultaneous fetches would exceed the limits of owners.
    const onNotification = (queue: string) => {
      wake(queue as QueueName);
    };
    const notifications = new Notifications(database, channel, onNotification, log, onReconnect);
    notifications.open();
    return Promise.resolve({ close: () => notifications.close() });
  });
  const running = new Map<JobWithMetadata, { queue: QueueName; done: Promise<void> }>();
  const timers = new Set<NodeJS.Timeout>();
  let isStopping = false;
  boss.on('error', (error) => {
    if (!isStopping) log.error({ err: toError(error) }, 'background jobs failed and will be retried');
  });

  /** Has one idle worker look for a job, and the others after theirs. A worker that finds a job wakes the next one. */
  const wake = (queue: QueueName) => {
    if (isStopping) return;
    const all = boss.getWipData().filter(({ name }) => name === queue);
    const idle = all.find(({ count }) => count === 0);
    for (const worker of all) if (worker === idle || worker.count > 0) boss.notifyWorker(worker.id);
  };
  const wakeIn = (queue: QueueName, milliseconds: number) => {
    if (isStopping || milliseconds > pollMs) return;
    const timer = setTimeout(() => {
      timers.delete(timer);
      wake(queue);
    }, milliseconds);
    timers.add(timer);
  };
  const run = async (worker: Worker, job: JobWithMetadata) => {
    const { queue } = worker;
    try {
      await worker.handle(job.data as never, job.signal, job.retryCount);
    } catch (error) {
      log.warn({ err: error, queue, job: job.id }, 'a job failed');
      // The longest delay: pg-boss adds up to as much again at random. It is counted from when the error is stored.
      const delay = Math.min(job.retryDelay * 2 ** (job.retryCount + 1), job.retryDelayMax ?? Infinity);
      wakeIn(queue, delay * 1000 + 500);
      // pg-boss stores the error with the job, and its message and stack may contain personal data.
      throw Object.assign(new Error(error instanceof Error ? error.name : 'unknown'), { stack: undefined });
    }
  };

  await boss.start();
  jobs.onDelayed = wakeIn;
  void boss.supervise().catch(() => undefined);
  const options = {
    includeMetadata: true as const,
    heartbeatRefreshSeconds: heartbeat,
    pollingIntervalSeconds: slowestPollSeconds,
    notifyPollingIntervalSeconds: slowestPollSeconds,
  };
  for (const worker of workers) {
    const { queue, concurrency = 2, concurrencyPerOwner } = worker;
    const limits = {
      localConcurrency: concurrency,
      ...(concurrencyPerOwner !== undefined && { groupConcurrency: concurrencyPerOwner }),
    };
    await boss.work(queue, { ...options, ...limits }, async ([job]: JobWithMetadata[]) => {
      if (!job) return;
      wake(queue);
      // The embedded database answers without input or output, so that a series of jobs would keep requests waiting.
      await setImmediate();
      const done = run(worker, job);
      running.set(job, { queue, done });
      await done.finally(() => running.delete(job));
    });
  }
  const polling = setInterval(() => {
    for (const { queue } of workers) wake(queue);
  }, pollMs);

  return async (milliseconds) => {
    isStopping = true;
    jobs.onDelayed = undefined;
    clearInterval(polling);
    timers.forEach(clearTimeout);
    await waitWithTimeout(milliseconds, Promise.all(workers.map(({ queue }) => boss.offWork(queue))));
    const unfinished = [...running];
    for (const [job, { queue }] of unfinished) {
      await jobs.requeue(queue, job).catch((error: unknown) => {
        log.error({ err: error }, 'a job could not be requeued; it is retried when its lease expires');
      });
    }
    await boss.stop({ graceful: false });
    // Handlers that ignore their signal must not keep the process running.
    await waitWithTimeout(1000, Promise.allSettled(unfinished.map(([, { done }]) => done)));
  };
}

/** pg-boss emits some errors as plain copies, which the log would leave out. */
const toError = (emitted: Error): Error =>
  emitted instanceof Error
    ? emitted
    : Object.assign(new Error((emitted as { message?: string }).message), emitted);
