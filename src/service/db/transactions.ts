import { drizzle } from 'drizzle-orm/node-postgres';
import type { Pool, PoolClient } from 'pg';
import type { Database, Queries } from './database.ts';
import { isReadOnlyError } from './is-transient-error.ts';
import * as schema from './schema.ts';

/** A connection that does not respond has already used up a statement's timeout. In milliseconds. */
const rollback = { text: 'ROLLBACK', query_timeout: 5000 };

/**
 * Rolls back what a connection has begun, after an error.
 *
 * @returns an error if the connection must be closed, because a busy pool would use it forever: it cannot roll back, or
 *   its server is read-only since a failover. Closing it ends its transaction.
 */
export async function rollBack(client: PoolClient, error: unknown): Promise<Error | undefined> {
  if (isReadOnlyError(error)) return error as Error;
  try {
    await client.query(rollback);
    return undefined;
  } catch (cause) {
    return cause instanceof Error ? cause : new Error(String(cause));
  }
}

/** Runs work in a transaction. */
export type Transaction = <Outcome>(work: (queries: Queries) => Promise<Outcome>) => Promise<Outcome>;

/**
 * Transactions whose typed queries belong to their connection, so that queries prepared in one are reused in later
 * ones.
 */
export function transactions(pool: Pool): Transaction {
  const queriesByClient = new WeakMap<PoolClient, Queries>();
  return async (work) => {
    const client = await pool.connect();
    let queries = queriesByClient.get(client);
    if (!queries) queriesByClient.set(client, (queries = drizzle(client, { schema })));
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const outcome = await work(queries);
      await client.query('COMMIT');
      return outcome;
    } catch (error) {
      broken = await rollBack(client, error);
      throw error;
    } finally {
      client.release(broken);
    }
  };
}

/** Returns the database bound to a transaction: all its queries and transactions are part of that one. */
export function boundTo(database: Database, tx: Queries): Database {
  const transaction: Transaction = (work) => work(tx);
  const db = Object.create(tx, { transaction: { value: transaction } }) as Database['db'];
  return { ...database, db, transaction };
}
