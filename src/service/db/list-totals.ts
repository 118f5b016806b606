import { count, sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { PgTable } from 'drizzle-orm/pg-core';
import type { Queries } from './database.ts';

/** The lists whose records triggers count (see `list_totals`). */
type CountedList = 'leads' | 'calls' | 'webhook_deliveries' | 'audit_log' | 'blocked_numbers';

/** The filters by which they are counted. An undefined one does not filter. */
interface CountedFilters {
  status?: string | undefined;
  type?: string | undefined;
  assistant_id?: number | undefined;
  campaign_id?: number | undefined;
}

/** Reads how many records of a user a list has, in a time that does not depend on their number. */
export async function readTotal(
  queries: Queries,
  list: CountedList,
  userId: number,
  filters: CountedFilters = {},
): Promise<number> {
  const conditions = Object.entries(filters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => sql` AND ${sql.identifier(name)} = ${value}`);
  const { rows } = await queries.execute<{ total: number }>(sql`
    SELECT coalesce(sum(change), 0)::float AS total FROM list_totals
    WHERE user_id = ${userId} AND list = ${list}${sql.join(conditions)}`);
  return rows[0]?.total ?? 0;
}

/**
 * Counts the records that match filters other than those of {@link readTotal}.
 *
 * @param page if it is the first one and not full, it has them all, and nothing is counted.
 */
export async function countRecords(
  queries: Queries,
  table: PgTable,
  filter: SQL | undefined,
  page?: { number: number; size: number; records: readonly unknown[] },
): Promise<number> {
  if (page?.number === 1 && page.records.length < page.size) return page.records.length;
  const [counted] = await queries.select({ total: count() }).from(table).where(filter);
  return counted?.total ?? 0;
}

/** Maximum number of lists whose changes are summed up at once. */
const batch = 100;

/**
 * Replaces the changes of totals by their sums. Any number of processes may run it at once: each leaves out the rows that
 * another one is replacing.
 */
export async function sumTotals(queries: Queries): Promise<void> {
  await queries.execute(sql`
    WITH changed AS (SELECT DISTINCT user_id, list FROM list_totals WHERE NOT is_sum LIMIT ${batch}),
      unlocked AS (SELECT id FROM list_totals JOIN changed USING (user_id, list) FOR UPDATE OF list_totals SKIP LOCKED),
      gone AS (DELETE FROM list_totals USING unlocked WHERE list_totals.id = unlocked.id RETURNING list_totals.*)
    INSERT INTO list_totals (list, user_id, status, type, assistant_id, campaign_id, change, is_sum)
    SELECT list, user_id, status, type, assistant_id, campaign_id, sum(change), true FROM gone
    GROUP BY list, user_id, status, type, assistant_id, campaign_id HAVING sum(change) <> 0`);
}
