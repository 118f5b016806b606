import { AsyncLocalStorage } from 'node:async_hooks';
import { sql } from 'drizzle-orm';
import { fromDrizzle } from 'pg-boss';
import type { Pool } from 'pg';
import type { Queries } from './database.ts';
import { rollBack } from './transactions.ts';

type Execute = (text: string, values?: unknown[]) => Promise<{ rows: unknown[] }>;

const transactions = new AsyncLocalStorage<Execute>();

/**
 * Runs all statements of a library in a transaction, even those that do not get the transaction: on PGlite they would
 * wait for its end.
 */
export const withinTransaction = <Outcome>(tx: Queries, work: () => Promise<Outcome>): Promise<Outcome> =>
  transactions.run((text, values) => fromDrizzle(tx, sql).executeSql(text, values), work);

/**
 * Runs a library's SQL: one statement, or several without values, whose rows are concatenated. A failed statement may
 * leave a transaction open, which on PGlite would include the queries of others, so it is rolled back.
 */
export const runStatements =
  (pool: Pool): Execute =>
  async (text, values) => {
    const execute = transactions.getStore();
    if (execute) return execute(text, values);
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      const results = [await client.query(text, values)].flat() as { rows?: unknown[] }[];
      return { rows: results.flatMap(({ rows }) => rows ?? []) };
    } catch (error) {
      broken = await rollBack(client, error);
      throw error;
    } finally {
      client.release(broken);
    }
  };
