import { sql } from 'drizzle-orm';
import type { Placeholder } from 'drizzle-orm';

/** Assigns work to one process until the lease expires, unless it is renewed. */
export interface Lease {
  owner: string;
  milliseconds: number;
}

/** The expiry of a lease that is taken now, by the database's clock. */
export const leaseEnd = (milliseconds: number | Placeholder) =>
  sql`now() + ${milliseconds} * interval '1 millisecond'`;
