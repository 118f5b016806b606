import { and, eq, ne, sql } from 'drizzle-orm';
import type { CarrierNumbers } from '../carrier/carrier-numbers.ts';
import type { Database } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import type { Jobs } from '../jobs/jobs.ts';

/**
 * Deletes numbers past their release time, which unlinks them from assistants and campaigns, and releases them at the
 * carrier.
 */
export async function deleteReleasedNumbers({
  database,
  jobs,
}: {
  database: Database;
  jobs: Jobs;
}): Promise<void> {
  await database.transaction(async (tx) => {
    const { rows } = await tx.execute<{ phoneNumber: string }>(sql`
      DELETE FROM phone_numbers WHERE release_at <= now() RETURNING phone_number AS "phoneNumber"`);
    for (const { phoneNumber } of rows) await jobs.send('release-number', { phoneNumber }, { tx });
  });
}

/** Releases a deleted number at the carrier, unless an account has bought it again. */
export async function releaseNumber(
  { database: { db }, numbers }: { database: Database; numbers: CarrierNumbers | undefined },
  phoneNumber: string,
): Promise<void> {
  const [remaining] = await db
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.phoneNumber, phoneNumber), ne(phoneNumbers.type, 'caller_id')))
    .limit(1);
  if (!remaining) await numbers?.release(phoneNumber);
}
