import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../operator-error.ts';
import type { Database } from './database.ts';
import { PlannedClient } from './planned-client.ts';
import * as schema from './schema.ts';
import { transactions } from './transactions.ts';

/** Longest wait, in milliseconds, for a free connection, and for one statement's answer. */
const connectTimeoutMs = 10_000;
const statementTimeoutMs = 30_000;

/** The PostgreSQL server cannot be reached, or does not let the service in. */
export class DatabaseUnreachableError extends OperatorError {
  override readonly name = 'DatabaseUnreachableError';
  constructor(cause: unknown) {
    // When several addresses of a host were tried, each has an error of its own.
    const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    const reason = first instanceof Error ? first.message : String(first);
    super(`Cannot connect to the PostgreSQL server that DATABASE_URL names: ${reason}.`, { cause });
  }
}

/**
 * Opens a pool of connections to a PostgreSQL server.
 *
 * @throws DatabaseUnreachableError
 */
export async function openPostgres(databaseUrl: string, poolSize: number, log: Logger): Promise<Database> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: connectTimeoutMs,
    statement_timeout: statementTimeoutMs,
    // A process that freezes in the middle of a transaction must not hold an owner's balance for good.
    idle_in_transaction_session_timeout: statementTimeoutMs,
    application_name: 'voice-assistant-chat',
    Client: PlannedClient,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => {
    log.warn({ err: error }, 'an idle database connection broke');
  });
  // Nor may one in use, whose statements fail with the same error: the pool listens to those that are idle alone.
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
  });
  try {
    (await pool.connect()).release();
  } catch (error) {
    await pool.end();
    throw new DatabaseUnreachableError(error);
  }
  const transaction = transactions(pool);
  return {
    kind: 'postgres',
    pool,
    // Drizzle's own transactions never let go of a connection that breaks before their BEGIN, until none is left.
    db: Object.assign(drizzle(pool, { schema }), { transaction }),
    transaction,
    async close() {
      if (!pool.ended) await pool.end();
    },
  };
}
