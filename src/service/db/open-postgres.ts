import { drizzle } from 'drizzle-orm/node-postgres';
import { Pool } from 'pg';
import type { ClientBase } from 'pg';
import type { Logger } from 'pino';
import { OperatorError } from '../operator-error.ts';
import type { Connection } from './database.ts';
import { PreparedStatementsClient } from './prepared-statements-client.ts';
import * as schema from './schema.ts';
import { transactions } from './transactions.ts';
import { UnnamedStatementsClient } from './unnamed-statements-client.ts';

/** Limits of a pool, in milliseconds. */
interface Timeouts {
  /** To get a connection. */
  connectMs: number;
  /** For a statement, enforced by the server. */
  statementMs: number;
  /** For a statement's response, enforced here, since the server may vanish. Longer than `statementMs`. */
  responseMs: number;
}

const defaultTimeouts: Timeouts = { connectMs: 10_000, statementMs: 30_000, responseMs: 35_000 };

/** Idle time after which TCP probes whether the server is still there, in milliseconds. */
const keepAliveDelayMs = 10_000;

/** OpenSSL's codes for a certificate whose authority is unknown. */
const certificateErrors = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
]);

/** The cure for a problem with DATABASE_URL, if that is known. */
function hintFor(error: unknown, reason: string): string {
  const { code = '' } = (error ?? {}) as NodeJS.ErrnoException;
  if (code === 'ERR_INVALID_URL')
    return ' Percent-encode special characters in the password, such as # as %23.';
  if (certificateErrors.has(code))
    return ' Name the certificate of its authority in DATABASE_URL: sslmode=verify-full&sslrootcert=<file>.';
  if (/no encryption|SSL (?:off|required)/i.test(reason)) return ' Add sslmode=verify-full to DATABASE_URL.';
  return '';
}

/** The PostgreSQL server cannot be reached, or refuses the connection. */
export class DatabaseUnreachableError extends OperatorError {
  override readonly name = 'DatabaseUnreachableError';
  constructor(cause: unknown) {
    // If several addresses of a host were tried, each has its own error.
    const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
    const reason = first instanceof Error ? first.message : String(first);
    super(
      `Cannot connect to the PostgreSQL server that DATABASE_URL names: ${reason}.${hintFor(first, reason)}`,
      { cause },
    );
  }
}

/** The PostgreSQL server cannot be written, as a standby. */
export class DatabaseReadOnlyError extends OperatorError {
  override readonly name = 'DatabaseReadOnlyError';
  constructor() {
    super(
      'The PostgreSQL server that DATABASE_URL names is read-only, as a standby is. Name the primary server, or an ' +
        'address that leads to it after a failover.',
    );
  }
}

/** The database has an encoding or a locale in which text is stored or searched wrongly. */
export class DatabaseLocaleError extends OperatorError {
  override readonly name = 'DatabaseLocaleError';
  constructor() {
    super(
      'The database that DATABASE_URL names must have the encoding UTF8 and a locale that knows the letters of all ' +
        'languages. Create it with: createdb --template=template0 --encoding=UTF8 --locale=C.UTF-8 --owner=<user> <name>',
    );
  }
}

/**
 * Opens a pool of connections to a PostgreSQL server.
 *
 * @param options.directUrl the server's address if `databaseUrl` names a pooler in transaction mode: named statements and
 *   session settings, which a session would keep, are then not used.
 * @throws DatabaseUnreachableError
 */
export async function openPostgres(
  databaseUrl: string,
  {
    poolSize,
    directUrl,
    log,
    timeouts = defaultTimeouts,
  }: { poolSize: number; directUrl?: string | undefined; log: Logger; timeouts?: Timeouts },
): Promise<Connection> {
  // Not by startup parameters, which PgBouncer refuses. A process that freezes in a transaction must not lock a balance
  // forever. The database may have another default isolation, in which concurrent changes of a record fail.
  const configureSession = (client: ClientBase): unknown =>
    client.query(
      `SET statement_timeout = ${timeouts.statementMs};
      SET idle_in_transaction_session_timeout = ${timeouts.statementMs};
      SET default_transaction_isolation = 'read committed'`,
    );
  const pool = new Pool({
    connectionString: databaseUrl,
    max: poolSize,
    connectionTimeoutMillis: timeouts.connectMs,
    query_timeout: timeouts.responseMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveDelayMs,
    application_name: 'voice-assistant-chat',
    Client: directUrl === undefined ? PreparedStatementsClient : UnnamedStatementsClient,
    // The pool waits for the promise, which its declarations do not say.
    ...(directUrl === undefined && { onConnect: configureSession }),
  });
  // The pool replaces a broken idle connection; without a listener its error would end the process.
  pool.on('error', (error) => {
    log.warn({ err: error }, 'an idle database connection broke');
  });
  // The pool only handles errors of idle clients; the statement of an active one reports the error.
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
    directUrl,
    // Drizzle's own transactions leak connections that break before their BEGIN.
    db: Object.assign(drizzle(pool, { schema }), { transaction }),
    transaction,
    async close() {
      if (!pool.ended) await pool.end();
    },
  };
}
