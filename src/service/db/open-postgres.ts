import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../operator-error.ts';
import type { Database } from './database.ts';
import { PlannedClient } from './planned-client.ts';
import * as schema from './schema.ts';
import { transactions } from './transactions.ts';

/** Limits of a pool, in milliseconds. */
interface Timeouts {
  /** For a free connection. */
  connectMs: number;
  /** For a statement, kept by the server. */
  statementMs: number;
  /** For a statement's answer, kept here: the server may be gone without a word. Longer than `statementMs`. */
  answerMs: number;
}

const defaultTimeouts: Timeouts = { connectMs: 10_000, statementMs: 30_000, answerMs: 35_000 };

/** Idle time after which TCP probes whether the server is still there, in milliseconds. */
const keepAliveDelayMs = 10_000;

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
export async function openPostgres(
  databaseUrl: string,
  { poolSize, log, timeouts = defaultTimeouts }: { poolSize: number; log: Logger; timeouts?: Timeouts },
): Promise<Database> {
  const pool = new Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: timeouts.connectMs,
    statement_timeout: timeouts.statementMs,
    query_timeout: timeouts.answerMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    // A process that freezes in the middle of a transaction must not hold an owner's balance for good.
    idle_in_transaction_session_timeout: timeouts.statementMs,
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
