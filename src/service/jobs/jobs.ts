import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import { fromDrizzle } from 'pg-boss';
import type { PgBoss } from 'pg-boss';
import type { Database, Queries } from '../db/database.ts';
import { createBoss, overPool, schema, within } from './boss.ts';
import type { QueueData, QueueName } from './queues.ts';

/** How a job is sent. */
export interface SendOptions {
  /** When it may start: in so many milliseconds, or at a moment. At once by default. */
  startAfterMs?: number | Date;
  /**
   * At most one job with this key waits in its queue; sending another one only makes that one start earlier, if at all.
   * Whoever handles it sees what was true when the later one was sent.
   */
  key?: string;
  /** A transaction: the job exists once that is committed, and never if it is rolled back. */
  tx?: Queries;
}

/** Sends work that is done in the background, at least once, by any process that has workers. */
export interface Jobs {
  /** Resolves once the job is stored, or will be with the transaction. */
  send<Name extends QueueName>(queue: Name, data: QueueData[Name], options?: SendOptions): Promise<void>;
}

/** The channel on which processes that share a PostgreSQL server tell each other of jobs that can start. */
export const channel = 'voice_assistant_chat_jobs';

/** How often a job may find that another one took its key, and was begun, before it gives up. Once is rare already. */
const mostTries = 10;

/** {@link Jobs} in a database's own tables. */
export class StoredJobs implements Jobs {
  readonly boss: PgBoss;
  readonly #database: Database;
  /** Told of each job that this process sends, with the moment from which it can start. */
  onSent: ((queue: QueueName, startsAt: number) => void) | undefined;

  constructor(database: Database) {
    this.#database = database;
    this.boss = createBoss(overPool(database.pool));
  }

  async send<Name extends QueueName>(
    queue: Name,
    data: QueueData[Name],
    { startAfterMs = 0, key, tx }: SendOptions = {},
  ): Promise<void> {
    const seconds =
      (startAfterMs instanceof Date ? startAfterMs.getTime() - Date.now() : startAfterMs) / 1000;
    const wait = Math.max(0, seconds);
    const queries = tx ?? this.#database.db;
    const options = {
      startAfter: `${wait} seconds`,
      // Without a key of its own a job would share the empty one.
      singletonKey: key ?? randomUUID(),
    };
    const store = () => this.boss.send(queue, data, options);
    // Between the two statements somebody may send the same, and somebody else begin with it: then it is theirs no more.
    for (let tries = 1; key === undefined || !(await hasten(queries, queue, key, wait)); tries++) {
      const sent = await (tx ? within.run(fromDrizzle(tx, sql), store) : within.exit(store));
      if (sent !== null) break;
      if (tries === mostTries) throw new Error(`A job of ${queue} could not be stored: others were quicker.`);
    }
    if (wait === 0 && this.#database.kind === 'postgres') {
      await queries.execute(sql`SELECT pg_notify(${channel}, ${queue})`);
    }
    this.onSent?.(queue, Date.now() + wait * 1000);
  }
}

/**
 * Makes the waiting job of a key start no later than given; answers whether there is one. It is locked until the
 * transaction ends, so that nobody works on it without seeing what the transaction has done.
 */
async function hasten(queries: Queries, queue: QueueName, key: string, seconds: number): Promise<boolean> {
  const { rows } = await queries.execute(sql`
    UPDATE ${sql.identifier(schema)}.job
    SET start_after = least(start_after, now() + ${seconds} * interval '1 second')
    WHERE name = ${queue} AND singleton_key = ${key} AND state = 'created' RETURNING id`);
  return rows.length > 0;
}
