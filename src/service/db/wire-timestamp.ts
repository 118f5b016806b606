import { sql } from 'drizzle-orm';
import type { SQL, SQLWrapper } from 'drizzle-orm';

/** A moment as the wire has it: ISO 8601, UTC, with microseconds, which a JavaScript date would lose. */
export const wireTimestamp = (column: SQLWrapper): SQL<string> =>
  sql<string>`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The same for leads and calls: `YYYY-MM-DD HH:MM:SS`, UTC. */
export const plainTimestamp = (column: SQLWrapper): SQL<string> =>
  sql<string>`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;
