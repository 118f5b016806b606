import { and, gte, lt, sql } from 'drizzle-orm';
import type { SQL, SQLWrapper } from 'drizzle-orm';

/** Days of a list's query, both of them included; UTC, as the records themselves are written. */
export interface Days {
  date_from?: string | undefined;
  date_to?: string | undefined;
}

/** Whether a moment is on one of those days. */
export const isBetween = (moment: SQLWrapper, { date_from: from, date_to: to }: Days): SQL | undefined =>
  and(
    from === undefined ? undefined : gte(moment, sql`${from}::date::timestamp AT TIME ZONE 'UTC'`),
    to === undefined ? undefined : lt(moment, sql`(${to}::date + 1)::timestamp AT TIME ZONE 'UTC'`),
  );
