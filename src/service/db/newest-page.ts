import { desc } from 'drizzle-orm';
import type { SQLWrapper } from 'drizzle-orm';
import type { PgSelect } from 'drizzle-orm/pg-core';

/** A page of a list, by number and size. */
export interface Page {
  number: number;
  size: number;
}

/** Limits a query (`$dynamic()`) to one page of its records, newest first. */
export const newestPage = <Query extends PgSelect>(query: Query, id: SQLWrapper, { number, size }: Page) =>
  query
    .orderBy(desc(id))
    .limit(size)
    .offset((number - 1) * size);
