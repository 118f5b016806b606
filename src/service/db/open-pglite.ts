import { mkdir } from 'node:fs/promises';
import { PGlite } from '@electric-sql/pglite';
import { vector } from '@electric-sql/pglite-pgvector';
import { createPgConfig } from '@electric-sql/pglite/node-postgres';
import { drizzle } from 'drizzle-orm/node-postgres';
import { Client, Pool } from 'pg';
import type { ClientConfig } from 'pg';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import { lockFolder } from './lock-folder.ts';
import * as schema from './schema.ts';
import { transactions } from './transactions.ts';

// Its 128 MB of buffers are all written to at every start, which takes longer than the rest of the start.
const startParams = [...PGlite.defaultStartParams, '-c', 'shared_buffers=32MB'];

/**
 * Opens PGlite, PostgreSQL inside this process, with its data in `folder` (made if missing). Two processes in one
 * folder would ruin it, so the folder is locked until the database is closed.
 *
 * @throws DataFolderInUseError if another process works in the folder.
 */
export async function openPglite(folder: string, log: Logger): Promise<Database> {
  await mkdir(folder, { recursive: true });
  const unlock = lockFolder(folder);
  try {
    const pglite = await PGlite.create(folder, { extensions: { vector }, startParams });
    // PGlite has one session, so more connections would only share its transactions.
    const pool = new Pool({ max: 1, idleTimeoutMillis: 0, Client: clientClass(pglite) });
    pool.on('error', (error) => {
      log.error({ err: error }, 'the embedded database reported an error');
    });
    return {
      kind: 'pglite',
      pool,
      db: drizzle(pool, { schema }),
      transaction: transactions(pool),
      async close() {
        if (!pool.ended) await pool.end();
        await pglite.close();
        unlock();
      },
    };
  } catch (error) {
    unlock();
    throw error;
  }
}

/**
 * The class of pg's clients that talk to this PGlite. After a failed query the pool ends a client and makes another;
 * each has a connection of its own, or the end of the first would reach the second.
 */
function clientClass(pglite: PGlite): typeof Client {
  return class PgliteClient extends Client {
    constructor(options?: string | ClientConfig) {
      super({ ...(typeof options === 'object' ? options : {}), ...connect(pglite) });
    }
  };
}

/**
 * PGlite in the shape of a pg connection. Drizzle hands each query its own parsers of result types in the field that
 * pg passes on as parameter types; PostgreSQL's own serializer overlooks that, PGlite's does not.
 */
function connect(pglite: PGlite): ClientConfig {
  const { connection } = createPgConfig(pglite);
  const parse = connection.parse.bind(connection);
  connection.parse = (query: { types?: unknown }) => {
    parse({ ...query, types: Array.isArray(query.types) ? query.types : undefined });
  };
  return { connection } as ClientConfig;
}
