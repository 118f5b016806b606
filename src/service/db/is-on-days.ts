import { and, gte, lt, sql } from 'drizzle-orm';
import type { SQL, SQLWrapper } from 'drizzle-orm';

/** The days of a list's query, both inclusive, in UTC like the records. */
export interface Days {
  date_from?: string | undefined;
  date_to?: string | undefined;
}

/** Whether a timestamp is on one of these days. */
export const isOnDays = (column: SQLWrapper, { date_from: from, date_to: to }: Days): SQL | undefined =>
  and(
    from === undefined ? undefined : gte(column, sql`${from}::date::timestamp AT TIME ZONE 'UTC'`),
    to === undefined ? undefined : lt(column, sql`(${to}::date + 1)::timestamp AT TIME ZONE 'UTC'`),
  );

/** Whether a query names days. */
export const hasDays = ({ date_from: from, date_to: to }: Days): boolean =>
  from !== undefined || to !== undefined;
