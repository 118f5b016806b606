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
  /** Number of an owner's jobs that all processes together run at the same time; unlimited by default. */
  concurrencyPerOwner?: number;
  /**
   * Runs a job, at least once; an error leads to a retry. PGlite has one session, so no transaction may be held while
   * waiting for anything but the database. The signal is aborted when the job times out, another process takes it
   * over, or the process stops.
   */
  handle(data: QueueData[Name], signal: AbortSignal, isLastTry: boolean): Promise<void>;
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
  const intervals = { superviseIntervalSeconds: heartbeat, monitorIntervalSeconds: heartbeat - 1 };
  const rare = { maintenanceIntervalSeconds: 3600, flowIntervalSeconds: 86_400 };
  const bossOptions = { useListenNotify: true, supervise: true, ...intervals, ...rare };
  const boss = createBoss(database.pool, bossOptions, (channel, onNotification, onReconnect) => {
    const notifications = new Notifications(database, channel, onNotification, log, onReconnect);
    notifications.open();
    return Promise.resolve({ close: () => notifications.close() });
  });
  const running = new Map<JobWithMetadata, { queue: QueueName; done: Promise<void> }>();
  const workerIds = new Map<QueueName, string[]>();
  /** The number of running handlers by worker: more than one if a job exceeded its time. */
  const handlers = new Map<string, number>();
  const timers = new Set<NodeJS.Timeout>();
  let isStopping = false;
  boss.on('error', (error) => {
    if (!isStopping) log.error({ err: toError(error) }, 'background jobs failed and will be retried');
  });

  /**
   * Has one idle worker look for a job; if it finds one, it wakes the next. Without an idle worker, all of them look
   * after their jobs: pg-boss may have given up on a job whose handler still runs.
   */
  const wake = (queue: QueueName) => {
    const ids = workerIds.get(queue) ?? [];
    const idle = ids.find((id) => !handlers.get(id));
    for (const id of idle === undefined ? ids : [idle]) if (!isStopping) boss.notifyWorker(id);
  };
  const count = (id: string, change: 1 | -1) => {
    handlers.set(id, (handlers.get(id) ?? 0) + change);
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
      await worker.handle(job.data as never, job.signal, job.retryCount >= job.retryLimit);
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
    ...{ includeMetadata: true as const, heartbeatRefreshSeconds: heartbeat },
    ...{ pollingIntervalSeconds: slowestPollSeconds, notifyPollingIntervalSeconds: slowestPollSeconds },
  };
  for (const worker of workers) {
    const { queue, concurrency = 2, concurrencyPerOwner } = worker;
    const ofOwner = concurrencyPerOwner === undefined ? {} : { groupConcurrency: concurrencyPerOwner };
    const ids: string[] = [];
    workerIds.set(queue, ids);
    // Not `localConcurrency`: its workers pause after each job, and all of them poll.
    for (let slot = 0; slot < concurrency; slot++) {
      const id: string = await boss.work(
        queue,
        { ...options, ...ofOwner },
        async ([job]: JobWithMetadata[]) => {
          if (!job) return;
          count(id, 1);
          wake(queue);
          // The embedded database answers without input or output, so that a series of jobs would keep requests waiting.
          await setImmediate();
          const done = run(worker, job);
          running.set(job, { queue, done });
          await done.finally(() => {
            running.delete(job);
            count(id, -1);
            boss.notifyWorker(id);
          });
        },
      );
      ids.push(id);
    }
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
