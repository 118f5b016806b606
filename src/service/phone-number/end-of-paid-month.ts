import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';

/**
 * SQL for the end of the billing month at a given time. Months are counted from the purchase. After a purchase on the
 * 31st, a shorter month ends on its last day, and the next month on the 31st again.
 */
export const endOfPaidMonth = (purchase: SQL, at: SQL) => sql`(
  SELECT min(ends) FROM (
    SELECT ${purchase} + interval '1 month' * (passed + further) AS ends
    FROM (SELECT 12 * extract(year FROM age(${at}, ${purchase}))
        + extract(month FROM age(${at}, ${purchase})) AS passed) AS months,
      generate_series(0, 2) AS further
  ) AS months_of_number WHERE ends > ${at})`;
