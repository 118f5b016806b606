import { setTimeout as delay } from 'node:timers/promises';
import type { Job, PgBoss } from 'pg-boss';
import type { Logger } from 'pino';
import { handBack } from './hand-back.ts';
import { queues } from './queues.ts';
import type { Worker } from './worker.ts';

/** Jobs that one process works on at the same time, unless the worker says otherwise. */
const usualAtOnce = 2;

/** A job under way. */
interface Running {
  job: Job;
  controller: AbortController;
  done: Promise<void>;
}

/** Does the jobs of one queue: as many at once as its worker allows, the next as soon as one is done. */
export class QueueWork {
  readonly #boss: PgBoss;
  readonly #worker: Worker;
  readonly #log: Logger;
  readonly #running = new Map<string, Running>();
  #claiming: Promise<void> | undefined;
  #again = false;
  #stopping = false;

  constructor(boss: PgBoss, worker: Worker, log: Logger) {
    this.#boss = boss;
    this.#worker = worker;
    this.#log = log.child({ queue: worker.queue });
  }

  /** Looks for jobs that can start. */
  wake(): void {
    if (this.#stopping) return;
    if (this.#claiming) {
      // What was sent after the look under way began may have been missed by it.
      this.#again = true;
      return;
    }
    this.#claiming = this.#claim().finally(() => {
      this.#claiming = undefined;
      if (!this.#again) return;
      this.#again = false;
      this.wake();
    });
  }

  /** Says that this process is alive and working on its jobs; those that another one has taken over are cut off. */
  async renew(): Promise<void> {
    const jobs = [...this.#running.values()].map(({ job }) => job);
    if (jobs.length === 0) return;
    try {
      const { settled } = (await this.#boss.touch(this.#worker.queue, jobs)) as { settled?: string[] };
      for (const job of jobs) {
        if (settled?.includes(job.id) === false)
          this.#running.get(job.id)?.controller.abort(new Error('taken over'));
      }
    } catch (error) {
      this.#log.error({ err: error }, 'a job could not be renewed');
    }
  }

  /** Waits so long for the jobs under way, then cuts them off and hands them back. */
  async stop(milliseconds: number): Promise<void> {
    this.#stopping = true;
    await this.#claiming;
    const all = Promise.all([...this.#running.values()].map(({ done }) => done));
    const inTime = new AbortController();
    await Promise.race([
      all,
      delay(milliseconds, undefined, { signal: inTime.signal }).catch(() => undefined),
    ]);
    inTime.abort();
    const left = [...this.#running.values()];
    if (left.length === 0) return;
    await handBack(
      this.#boss,
      left.map(({ job }) => job),
    ).catch((error: unknown) => {
      this.#log.error(
        { err: error },
        'jobs could not be handed back; they are taken over when their lease runs out',
      );
    });
    for (const { controller } of left) controller.abort(new Error('the process is ending'));
    // A handler that does not listen must not hold the process; whatever it still does meets a job that is not its own.
    await Promise.race([all, delay(1000)]);
  }

  async #claim(): Promise<void> {
    const free = (this.#worker.atOnce ?? usualAtOnce) - this.#running.size;
    if (free <= 0) return;
    try {
      const jobs = await this.#boss.fetch<object>(this.#worker.queue, { batchSize: free });
      for (const job of jobs) this.#start(job);
    } catch (error) {
      this.#log.error({ err: error }, 'jobs could not be claimed; it will be tried again');
    }
  }

  #start(job: Job): void {
    const controller = new AbortController();
    const done = this.#do(job, controller).finally(() => {
      this.#running.delete(job.id);
      this.wake();
    });
    this.#running.set(job.id, { job, controller, done });
  }

  /** A job is settled as the attempt that was claimed, so one that is no longer ours stays as it is. */
  async #do(job: Job, controller: AbortController): Promise<void> {
    const { queue } = this.#worker;
    const tooLong = setTimeout(() => {
      controller.abort(new Error('it took too long'));
    }, job.expireInSeconds * 1000);
    try {
      try {
        await this.#handle(job, controller.signal);
      } catch (error) {
        this.#log.warn({ err: error, job: job.id }, 'a job failed');
        await this.#boss.fail(queue, attempt(job), {
          reason: error instanceof Error ? error.name : 'unknown',
        });
        return;
      }
      await this.#boss.complete(queue, attempt(job));
    } catch (error) {
      this.#log.error({ err: error, job: job.id }, "a job's end could not be stored; it will run again");
    } finally {
      clearTimeout(tooLong);
    }
  }

  #handle({ data, retryCount }: Job, signal: AbortSignal): Promise<void> {
    const isLastTry = retryCount >= queues[this.#worker.queue].retries;
    return (this.#worker as { handle: Handle }).handle(data, signal, isLastTry);
  }
}

type Handle = (data: object, signal: AbortSignal, isLastTry: boolean) => Promise<void>;

const attempt = ({ id, retryCount }: Job) => ({ id, retryCount });
