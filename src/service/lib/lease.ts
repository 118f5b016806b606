import { sql } from 'drizzle-orm';
import type { Placeholder } from 'drizzle-orm';

/** Marks work as being done by one process, until the lease expires unless it is renewed. */
export interface Lease {
  owner: string;
  milliseconds: number;
}

/** When a lease of that many milliseconds expires if taken now, by the database's clock. */
export const leaseEnd = (milliseconds: number | Placeholder) =>
  sql`now() + ${milliseconds} * interval '1 millisecond'`;
