import type { JobWithMetadata } from 'pg-boss';
import type { Database, Queries } from '../db/database.ts';
import { databaseTime } from '../db/database-time.ts';
import { withinTransaction } from '../db/run-statements.ts';
import { createBoss } from './boss.ts';
import { queueNames, queues } from './queues.ts';
import type { QueueData, QueueName } from './queues.ts';

/**
 * `startAfter`: delay in milliseconds; immediately by default.
 * `tx`: the job is stored in this transaction.
 */
export type SendOptions = { startAfter?: number; tx?: Queries };

/** Sends background jobs. Each runs at least once, in any process with workers. */
export interface Jobs {
  /**
   * Stores a job. If a job for the same record already waits, it gets the new data, and the earlier of both times. The
   * job starts after the transaction is committed, so it sees its changes.
   */
  send<Name extends QueueName>(queue: Name, data: QueueData[Name], options?: SendOptions): Promise<void>;
  /** Returns whether a job for the record waits or runs. */
  isPending<Name extends QueueName>(queue: Name, data: QueueData[Name]): Promise<boolean>;
}

/** Stores {@link Jobs} in the database. */
export class StoredJobs implements Jobs {
  readonly boss;
  readonly #database: Database;
  /** Called for each delayed job that this process sends, since pg-boss only announces immediate ones. */
  onDelayed: ((queue: QueueName, milliseconds: number) => void) | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.boss = createBoss(database.pool);
  }

  async send<Name extends QueueName>(queue: Name, data: QueueData[Name], options: SendOptions = {}) {
    const { startAfter = 0, tx } = options;
    const store = (queries: Queries) =>
      withinTransaction(queries, () => this.#store(queries, queue, data, startAfter));
    await (tx ? store(tx) : this.#database.transaction(store));
    if (startAfter > 0) this.onDelayed?.(queue, startAfter);
  }

  async isPending<Name extends QueueName>(queue: Name, data: QueueData[Name]) {
    const jobs = await this.boss.findJobs(queue, { key: String(queues[queue].key(data)) });
    return jobs.some(({ completedOn }) => completedOn === null);
  }

  /** Returns a running job to its queue for an immediate start; this does not count as a try. */
  async requeue(queue: QueueName, job: JobWithMetadata): Promise<void> {
    await this.#database.transaction((tx) =>
      withinTransaction(tx, async () => {
        const { affected } = (await this.boss.cancel(queue, job)) as { affected?: number };
        if (affected !== 0) await this.#store(tx, queue, job.data as never, 0);
      }),
    );
  }

  /** Retries the active jobs immediately. Only for a database that no other process can be using. */
  async retryInterrupted(): Promise<void> {
    for (const queue of queueNames) {
      for (const { id, state } of await this.boss.findJobs(queue)) {
        if (state !== 'active') continue;
        await this.boss.fail(queue, id, { reason: 'its process ended' });
        await this.boss.update(queue, undefined, { id, startAfter: 0 });
      }
    }
  }

  /** `update` and `upsert` lock the waiting job until the end of the transaction. */
  async #store<Name extends QueueName>(queries: Queries, queue: Name, data: QueueData[Name], delay: number) {
    const singletonKey = String(queues[queue].key(data));
    const startAfter = `${delay / 1000} seconds`;
    const options = {
      singletonKey,
      ...('userId' in data && { group: { id: String(data.userId) } }),
      ...('isUrgent' in data && { priority: 1 }),
    };
    // Between two statements, another process may insert a job with this key, and a third one may fetch it.
    for (let tries = 1; tries <= 10; tries++) {
      const { jobs: stored } =
        delay === 0
          ? await this.boss.upsert(queue, data, { startAfter: 0, ...options })
          : await this.boss.update(queue, data, options);
      if (stored.length > 0) {
        if (delay !== 0) await this.#bringForward(queries, queue, stored, delay);
        return;
      }
      if (delay !== 0 && (await this.boss.send(queue, data, { startAfter, ...options })) !== null) return;
    }
    throw new Error(`A job of ${queue} could not be stored: other processes kept taking its key.`);
  }

  /** Has locked waiting jobs start within a time, in milliseconds, unless they start earlier anyway. */
  async #bringForward(queries: Queries, queue: QueueName, ids: string[], delay: number): Promise<void> {
    const due = (await databaseTime(queries)).getTime() + delay;
    for (const id of ids) {
      const [job] = await this.boss.findJobs(queue, { id });
      // In a transaction of Drizzle, timestamps are texts.
      if (job && new Date(job.startAfter).getTime() > due)
        await this.boss.update(queue, undefined, { id, startAfter: `${delay / 1000} seconds` });
    }
  }
}
