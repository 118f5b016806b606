import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';

/**
 * SQL for the end of the billing month at a given time. Months are counted from the purchase. After a purchase on the
 * 31st, a shorter month ends on its last day, and the next month on the 31st again.
 * In UTC: in the time zone of a session, the end would differ after a change of that zone.
 */
export const endOfPaidMonth = (purchase: SQL, at: SQL) => sql`(
  SELECT min(ends) AT TIME ZONE 'UTC' FROM (
    SELECT later, purchase + interval '1 month' * (passed + further) AS ends
    FROM (SELECT (${purchase}) AT TIME ZONE 'UTC' AS purchase, (${at}) AT TIME ZONE 'UTC' AS later) AS times,
      LATERAL (SELECT 12 * extract(year FROM age(later, purchase)) + extract(month FROM age(later, purchase))
        AS passed) AS months,
      generate_series(0, 2) AS further
  ) AS months_of_number WHERE ends > later)`;
