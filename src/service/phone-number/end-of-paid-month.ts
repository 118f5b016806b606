import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';

/**
 * The end of the month that is paid for at a moment. Months are paid for in advance, counted from the purchase; one that
 * began on a 31st ends on the last day of a shorter month, and the next one on the 31st again.
 */
export const endOfPaidMonth = (purchase: SQL, moment: SQL) => sql`(
  SELECT min(ends) FROM (
    SELECT ${purchase} + interval '1 month' * (passed + further) AS ends
    FROM (SELECT 12 * extract(year FROM age(${moment}, ${purchase}))
        + extract(month FROM age(${moment}, ${purchase})) AS passed) AS months,
      generate_series(0, 2) AS further
  ) AS months_of_number WHERE ends > ${moment})`;
