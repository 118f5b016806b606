import { chmod, mkdir } from 'node:fs/promises';
import type { PGlite } from '@electric-sql/pglite';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import type { Client, ClientConfig } from 'pg';
import type { Logger } from 'pino';
import type { Connection } from './database.ts';
import { OperatorError } from '../operator-error.ts';
import { DatabaseNotOpenedError, EmbeddedPostgres, reasonOf } from './embedded-postgres.ts';
import { lockFolder } from './lock-folder.ts';
import * as schema from './schema.ts';
import { transactions } from './transactions.ts';
import { UnnamedStatementsClient } from './unnamed-statements-client.ts';

/**
 * Opens PGlite, PostgreSQL inside this process, with its data in `folder`, which is created if missing, and which only
 * the user of this process may open. The folder is locked until the database is closed: a second process would corrupt it.
 *
 * @param options.fsync whether commits wait for the disk.
 * @throws DataFolderInUseError if another process uses the folder; DiskFullError; DatabaseNotOpenedError
 */
export async function openPglite(
  folder: string,
  { fsync, log }: { fsync: boolean; log: Logger },
): Promise<Connection> {
  const unlock = await prepareFolder(folder, log);
  try {
    const embedded = new EmbeddedPostgres(folder, fsync, log);
    await embedded.instance();
    // PGlite has one session, so all connections would share its transactions.
    const pool = new Pool({ max: 1, idleTimeoutMillis: 0, Client: clientClass(embedded) });
    pool.on('error', (error) => {
      log.error({ err: error }, 'the embedded database reported an error');
    });
    // The pool only handles errors of idle clients; the query of an active one reports the error.
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
    });
    const transaction = transactions(pool);
    return {
      kind: 'pglite',
      pool,
      listeners: embedded.listeners,
      // Drizzle's own transactions leak the connection if their BEGIN fails.
      db: Object.assign(drizzle(pool, { schema }), { transaction }),
      transaction,
      async close() {
        if (!pool.ended) await pool.end();
        await embedded.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/** Creates the folder if it is missing, and locks it; returns a function that unlocks it. */
async function prepareFolder(folder: string, log: Logger): Promise<() => void> {
  try {
    await mkdir(folder, { recursive: true });
    // PGlite's files can be read and written by every user of the machine.
    await chmod(folder, 0o700).catch((error: unknown) => {
      log.warn({ err: error }, 'other users of this machine may be able to read the database');
    });
    return lockFolder(folder);
  } catch (error) {
    throw error instanceof OperatorError ? error : new DatabaseNotOpenedError(folder, error);
  }
}

/**
 * Returns the class of pg clients for this PGlite. After a failed query the pool replaces a client; each has a
 * connection of its own, or ending the first would end the second.
 */
function clientClass(embedded: EmbeddedPostgres): typeof Client {
  return class PgliteClient extends UnnamedStatementsClient {
    constructor(options?: string | ClientConfig) {
      super({ ...(typeof options === 'object' ? options : {}), ...connect(embedded) });
    }
  };
}

/**
 * PGlite as a pg connection. Drizzle passes its parsers of result types in the field that pg uses for parameter types;
 * PostgreSQL's serializer ignores that, PGlite's does not.
 */
function connect(embedded: EmbeddedPostgres): ClientConfig {
  const { connection } = createPgConfig(new Session(embedded) as unknown as PGlite);
  const parse = connection.parse.bind(connection);
  connection.parse = (query: { types?: unknown }) => {
    parse({ ...query, types: Array.isArray(query.types) ? query.types : undefined });
  };
  return { connection } as ClientConfig;
}

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>;

/** The first bytes of the messages that end with ReadyForQuery: Query and Sync. */
const queryEnds = new Set(['Q'.charCodeAt(0), 'S'.charCodeAt(0)]);

/**
 * The part of PGlite that a connection uses, bound to one instance. Once that is lost, every message is answered with
 * the error, like a server that shuts down: a rejection would leave pg waiting or end the process.
 */
class Session {
  readonly waitReady = Promise.resolve();
  readonly #embedded: EmbeddedPostgres;
  #instance: Promise<PGlite> | undefined;
  #failure: Error | undefined;

  constructor(embedded: EmbeddedPostgres) {
    this.#embedded = embedded;
  }

  async execProtocolStream(
    message: Uint8Array,
    options: Parameters<PGlite['execProtocolStream']>[1],
  ): Promise<Messages> {
    if (this.#failure === undefined) {
      try {
        this.#instance ??= this.#embedded.instance();
        const messages = await (await this.#instance).execProtocolStream(message, options);
        const panic = messages.find((answer) => 'severity' in answer && answer.severity === 'PANIC');
        if (panic) this.#fail(panic as unknown as Error);
        else return messages;
      } catch (error) {
        this.#fail(error instanceof Error ? error : new Error(reasonOf(error)));
      }
    }
    const { message: reason, code = '57P02' } = this.#failure as Error & { code?: string };
    const error = Object.assign(new Error(reason), { name: 'error', length: 0, severity: 'FATAL', code });
    const ready = { name: 'readyForQuery', length: 5, status: 'I' };
    return (queryEnds.has(message[0] ?? 0) ? [error, ready] : [error]) as unknown as Messages;
  }

  #fail(error: Error): void {
    this.#failure = error;
    this.#embedded.drop(error.message);
  }
}
