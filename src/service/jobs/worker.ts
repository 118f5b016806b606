import type { QueueData, QueueName } from './queues.ts';

/** Does the jobs of one queue. */
interface WorkerOf<Name extends QueueName> {
  queue: Name;
  /** Jobs that one process runs at the same time; 2 by default. */
  atOnce?: number;
  /**
   * Does a job, at least once: it reads the state again in the transaction that changes it. On PGlite, which has one
   * session, no transaction may be held while waiting for anything but the database.
   *
   * @param signal is aborted when the job takes too long, was taken over by another process, or the process stops; an
   *   aborted job runs again.
   * @param isLastTry whether the job will not be retried if it fails.
   * @throws any error to have the job retried, as often as the queue allows.
   */
  handle(data: QueueData[Name], signal: AbortSignal, isLastTry: boolean): Promise<void>;
}

export type Worker = { [Name in QueueName]: WorkerOf<Name> }[QueueName];
