import { sql } from 'drizzle-orm';
import type { SQL, SQLWrapper } from 'drizzle-orm';

/** A timestamp on the wire: ISO 8601, UTC, with microseconds, which a JavaScript date would lose. */
export const wireTimestamp = (column: SQLWrapper): SQL<string> =>
  sql<string>`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** A timestamp of leads and calls on the wire: `YYYY-MM-DD HH:MM:SS`, UTC. */
export const plainTimestamp = (column: SQLWrapper): SQL<string> =>
  sql<string>`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD HH24:MI:SS')`;
