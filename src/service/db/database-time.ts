import { sql } from 'drizzle-orm';
import type { Queries } from './database.ts';

/**
 * Returns the time of the database's clock, which all processes share. Not the transaction's time: it may have waited
 * for a lock. Rounded up to milliseconds, so that a timestamp that was just stored is not in the future.
 */
export async function databaseTime(queries: Queries): Promise<Date> {
  const { rows } = await queries.execute<{ milliseconds: string }>(
    sql`SELECT ceil(extract(epoch FROM clock_timestamp()) * 1000)::text AS milliseconds`,
  );
  return new Date(Number(rows[0]?.milliseconds));
}

/** The current day in UTC. */
export const today = sql<string>`(now() AT TIME ZONE 'UTC')::date`;
