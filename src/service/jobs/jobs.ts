import { isDeepStrictEqual } from 'node:util';
import { sql } from 'drizzle-orm';
import type { JobWithMetadata } from 'pg-boss';
import type { Database, Queries } from '../db/database.ts';
import { withinTransaction } from '../db/run-statements.ts';
import { createBoss } from './boss.ts';
import { keyOf } from './queues.ts';
import type { QueueData, QueueName } from './queues.ts';

/**
 * `startAfter`: delay in milliseconds; immediately by default.
 * `tx`: the job is stored in this transaction.
 */
export type SendOptions = { startAfter?: number; tx?: Queries };

/** Sends background jobs. */
export type Jobs = Pick<StoredJobs, 'send'>;

/** Stores background jobs in the database. Each runs at least once, in any process with workers. */
export class StoredJobs {
  readonly boss;
  readonly #database: Database;
  /** Called for each delayed job that this process sends, since pg-boss only announces immediate ones. */
  onDelayed: ((queue: QueueName, milliseconds: number) => void) | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.boss = createBoss(database.pool);
  }

  /**
   * Stores a job. If a job for the same record already waits, it gets the new data and the earlier of both times; one that
   * is sent without a delay also has all its tries again. The job starts after the transaction is committed, so it sees its
   * changes.
   */
  async send<Name extends QueueName>(
    queue: Name,
    data: QueueData[Name],
    options: SendOptions = {},
  ): Promise<void> {
    const { startAfter = 0, tx } = options;
    const store = (queries: Queries) =>
      withinTransaction(queries, () => this.#store(queries, queue, data, startAfter));
    await (tx ? store(tx) : this.#database.transaction(store));
    if (startAfter > 0) this.onDelayed?.(queue, startAfter);
  }

  /** Returns a running job to its queue for an immediate start; this does not count as a try. */
  async requeue(queue: QueueName, job: JobWithMetadata): Promise<void> {
    await this.#database.transaction((tx) =>
      withinTransaction(tx, async () => {
        const { affected } = (await this.boss.cancel(queue, job)) as { affected?: number };
        if (affected === 0) return;
        const options = sendOptions(queue, job.data as never);
        if ((await this.boss.send(queue, job.data, options)) !== null) return;
        // A job for the same record waits. It does this work now, unless it is a later step, with its own time.
        const waiting = await this.boss.findJobs(queue, { key: options.singletonKey, queued: true });
        for (const { id, data } of waiting)
          if (isDeepStrictEqual(data, job.data))
            await this.boss.update(queue, undefined, { id, startAfter: 0 });
      }),
    );
  }

  async #store<Name extends QueueName>(queries: Queries, queue: Name, data: QueueData[Name], delay: number) {
    const startAfter = `${delay / 1000} seconds`;
    const options = sendOptions(queue, data);
    // Between two statements, another process may insert a job with this key, and a third one may fetch it.
    for (let tries = 1; tries <= 10; tries++) {
      // Locks the waiting job until the end of the transaction, so that nobody else fetches or changes it.
      const [id] = (await this.boss.update(queue, data, options)).jobs;
      const [waiting] = id === undefined ? [] : await this.boss.findJobs(queue, { id });
      if (waiting && (waiting.state !== 'retry' || delay > 0)) {
        const { rows } = await queries.execute<{ isEarlier: boolean }>(
          sql`SELECT now() + ${delay} * interval '1 ms' < ${waiting.startAfter}::timestamptz AS "isEarlier"`,
        );
        if (rows[0]?.isEarlier) await this.boss.update(queue, data, { id: waiting.id, startAfter });
        return;
      }
      // An update would keep the number of its tries.
      if (waiting) await this.boss.cancel(queue, waiting.id);
      if ((await this.boss.send(queue, data, { startAfter, ...options })) !== null) return;
    }
    throw new Error(`A job of ${queue} could not be stored: other processes kept taking its key.`);
  }
}

const sendOptions = <Name extends QueueName>(queue: Name, data: QueueData[Name]) => ({
  singletonKey: keyOf(queue, data),
  ...('userId' in data && { group: { id: String(data.userId) } }),
  ...('isUrgent' in data && { priority: 1 }),
});
