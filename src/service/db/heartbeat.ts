import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Queries } from './database.ts';

/** A longer time without a heartbeat is an outage: leases may have expired although their processes are alive. */
const longestPause = (leaseMs: number) => sql`${leaseMs / 2} * interval '1 millisecond'`;

/** Records that a process reaches the database. All processes share one record, so it also shows an outage to later ones. */
export async function recordHeartbeat(queries: Queries, leaseMs: number): Promise<void> {
  const pause = longestPause(leaseMs);
  // A heartbeat far ahead was recorded before the clock of the database was set back.
  await queries.execute(sql`
    UPDATE heartbeat SET last_at = now(),
      steady_since = CASE WHEN last_at BETWEEN now() - ${pause} AND now() + ${pause} THEN steady_since ELSE now() END`);
}

/**
 * The time by which the lease of a dead process has expired. Null in the first lease after an outage, in which living
 * processes renew theirs.
 */
export const abandonedBefore = (leaseMs: number): SQL => sql`(
  SELECT now() FROM heartbeat
  WHERE last_at >= now() - ${longestPause(leaseMs)}
    AND steady_since <= now() - ${leaseMs} * interval '1 millisecond')`;
