import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import type { Database } from './database.ts';
import * as schema from './schema.ts';

/** Longest wait, in milliseconds, for a free connection, and for one statement's answer. */
const connectTimeoutMs = 10_000;
const statementTimeoutMs = 30_000;

/** Opens a pool of connections to a PostgreSQL server; connects when first used. */
export function openPostgres(databaseUrl: string, poolSize: number, log: Logger): Database {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    application_name: 'voice-assistant-chat',
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => {
    log.warn({ err: error }, 'an idle database connection broke');
  });
  return {
    kind: 'postgres',
    pool,
    db: drizzle(pool, { schema }),
    async close() {
      if (!pool.ended) await pool.end();
    },
  };
}
