import { sql } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { leaseSeconds, schema } from './boss.ts';
import { channel } from './jobs.ts';
import type { StoredJobs } from './jobs.ts';
import { listen } from './listen.ts';
import { QueueWork } from './queue-work.ts';
import type { QueueName } from './queues.ts';
import type { Worker } from './worker.ts';

/**
 * Does the jobs of this and other processes. One that this process sends, or of which PostgreSQL tells it, starts at
 * once; for the rest it looks regularly, and exactly when the next one is due.
 */
export class Work {
  readonly #queues: Map<QueueName, QueueWork>;
  readonly #database: Database;
  readonly #jobs: StoredJobs;
  readonly #pollMs: number;
  readonly #log: Logger;
  readonly #stopListening: () => Promise<void>;
  readonly #renewing: NodeJS.Timeout;
  readonly #due = new Map<QueueName, { at: number; timer: NodeJS.Timeout }>();
  #timer: NodeJS.Timeout | undefined;
  #round: Promise<void>;
  #supervising: Promise<void> | undefined;
  #stopping = false;

  /** @param pollMs the longest pause between two looks for jobs of other processes. */
  constructor(database: Database, jobs: StoredJobs, workers: Worker[], pollMs: number, log: Logger) {
    this.#database = database;
    this.#jobs = jobs;
    this.#pollMs = pollMs;
    this.#log = log;
    this.#queues = new Map(workers.map((worker) => [worker.queue, new QueueWork(jobs.boss, worker, log)]));
    this.#stopListening =
      database.kind === 'postgres'
        ? listen(database.pool, channel, (queue) => this.#queues.get(queue as QueueName)?.wake(), log)
        : () => Promise.resolve();
    jobs.onSent = (queue, startsAt) => {
      this.#wakeAt(queue, startsAt);
    };
    this.#renewing = setInterval(
      () => {
        for (const queue of this.#queues.values()) void queue.renew();
        this.#supervising ??= this.#supervise();
      },
      (leaseSeconds * 1000) / 3,
    );
    this.#supervising = this.#supervise();
    this.#round = this.#supervising.then(() => this.#look());
  }

  /** Takes on no more, waits for the jobs under way, and hands back those that are not done in time. */
  async stop(milliseconds: number): Promise<void> {
    this.#stopping = true;
    this.#jobs.onSent = undefined;
    clearTimeout(this.#timer);
    clearInterval(this.#renewing);
    for (const { timer } of this.#due.values()) clearTimeout(timer);
    await Promise.all([...this.#queues.values()].map((queue) => queue.stop(milliseconds)));
    await this.#round;
    await this.#supervising;
    await this.#stopListening();
  }

  #wakeAt(queue: QueueName, at: number): void {
    if (this.#stopping) return;
    const wait = at - Date.now();
    if (wait <= 0) {
      this.#queues.get(queue)?.wake();
      return;
    }
    const known = this.#due.get(queue);
    if (known && known.at <= at) return;
    // A later job is found by looking, as those of other processes are.
    if (wait > this.#pollMs) return;
    clearTimeout(known?.timer);
    const timer = setTimeout(() => {
      this.#due.delete(queue);
      this.#queues.get(queue)?.wake();
    }, wait);
    this.#due.set(queue, { at, timer });
  }

  /** Looks in all queues for jobs that are due, or will be before the next look. */
  async #look(): Promise<void> {
    try {
      const { rows } = await this.#database.db.execute<{ queue: QueueName; wait: number | null }>(sql`
        SELECT name AS queue, (SELECT extract(epoch FROM min(start_after) - now())::float * 1000
          FROM ${sql.identifier(schema)}.job WHERE name = queue.name AND state < 'active') AS wait
        FROM ${sql.identifier(schema)}.queue`);
      for (const { queue, wait } of rows) if (wait !== null) this.#wakeAt(queue, Date.now() + wait);
    } catch (error) {
      this.#log.error({ err: error }, 'looking for jobs failed; it will be tried again');
    }
    if (this.#stopping) return;
    this.#timer = setTimeout(() => {
      this.#round = this.#look();
    }, this.#pollMs);
  }

  /** Gives the jobs of dead processes back to their queues, and forgets those that were done long ago. */
  async #supervise(): Promise<void> {
    try {
      await this.#jobs.boss.supervise();
    } catch (error) {
      this.#log.error({ err: error }, 'looking after jobs failed; it will be tried again');
    } finally {
      this.#supervising = undefined;
    }
  }
}
