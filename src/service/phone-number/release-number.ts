import { and, eq, ne, sql } from 'drizzle-orm';
import type { CarrierNumbers } from '../carrier/carrier-numbers.ts';
import type { Database } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { Refusal } from '../lib/refusal.ts';
import { isOwned, numberNotFound } from './phone-number.ts';
import type { OwnedNumber } from './phone-number.ts';

/**
 * Releases a number (interface: "Phone number release"). A dedicated number with an active subscription stays until
 * the end of the paid month; other numbers, and those with an unpaid month, are deleted immediately. Deletion unlinks
 * the number from assistants and campaigns.
 *
 * @returns the release time (ISO 8601), or undefined if the number was deleted.
 * @throws Refusal if the number does not exist, or is already scheduled for release.
 */
export async function releasePhoneNumber(
  { database, jobs }: { database: Database; jobs: Jobs },
  owned: OwnedNumber,
): Promise<string | undefined> {
  return database.db.transaction(async (tx) => {
    const [number] = await tx
      .select({
        type: phoneNumbers.type,
        phoneNumber: phoneNumbers.phoneNumber,
        price: phoneNumbers.price,
        hasPaidMonth: sql<boolean>`${phoneNumbers.type} = 'normal' AND ${phoneNumbers.hasActiveSubscription}`,
        // The release time of a number with an unpaid month is later.
        isReleasing: sql<boolean | null>`${phoneNumbers.releaseAt} <= ${phoneNumbers.paidUntil}`,
      })
      .from(phoneNumbers)
      .where(isOwned(owned))
      .for('update');
    if (!number) return numberNotFound();
    if (number.isReleasing) {
      throw new Refusal(400, { error: 'This phone number is already scheduled for release.' });
    }
    if (!number.hasPaidMonth) {
      await tx.delete(phoneNumbers).where(eq(phoneNumbers.id, owned.id));
      const { type, phoneNumber, price } = number;
      if (type === 'caller_id') await jobs.send('remove-caller-id', { phoneNumber }, { tx });
      // A number without a price was not bought here, and stays the operator's.
      if (type === 'normal' && price !== null) await jobs.send('release-number', { phoneNumber }, { tx });
      return undefined;
    }
    const [scheduled] = await tx
      .update(phoneNumbers)
      // The current time if the paid month is already over, so that no further month is charged.
      .set({ releaseAt: sql`greatest(${phoneNumbers.paidUntil}, now())`, hasActiveSubscription: false })
      .where(eq(phoneNumbers.id, owned.id))
      .returning({ at: wireTimestamp(phoneNumbers.releaseAt) });
    return scheduled?.at;
  });
}

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
export async function releaseAtCarrier(
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
