import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { typeLabel } from './type-label.ts';

/** A number's id with the user who must own the number. */
export interface OwnedNumber {
  id: number;
  userId: number;
}

const columns = {
  id: phoneNumbers.id,
  phone_number: phoneNumbers.phoneNumber,
  country_code: phoneNumbers.countryCode,
  type: phoneNumbers.type,
  nickname: phoneNumbers.nickname,
  sms_capable: phoneNumbers.smsCapable,
  region: phoneNumbers.region,
  has_active_subscription: phoneNumbers.hasActiveSubscription,
  release_at: wireTimestamp(phoneNumbers.releaseAt),
  created_at: wireTimestamp(phoneNumbers.createdAt),
};

/** Excludes pending purchases, and numbers past their release time that have not been deleted yet. */
export const isActive = and(
  eq(phoneNumbers.isPending, false),
  or(isNull(phoneNumbers.releaseAt), gt(phoneNumbers.releaseAt, sql`now()`)),
);

const isOwned = ({ id, userId }: OwnedNumber) =>
  and(eq(phoneNumbers.id, id), eq(phoneNumbers.userId, userId), isActive);

type Row = Pick<typeof phoneNumbers.$inferSelect, 'id' | 'type' | 'nickname' | 'region'> &
  Record<'phone_number' | 'country_code' | 'created_at', string> &
  Record<'sms_capable' | 'has_active_subscription', boolean> & { release_at: string | null };

/** Converts a row to a phone number record (interface: "Phone number"). */
const toRecord = ({ id, phone_number, country_code, type, ...rest }: Row) => ({
  id,
  phone_number,
  country_code,
  type,
  type_label: typeLabel(type),
  ...rest,
});

/** Lists the numbers of a user, oldest first. `sms` selects those with SMS and an active subscription (legacy). */
export async function listPhoneNumbers({ db }: Database, userId: number, selection: 'all' | 'sms') {
  const filter =
    selection === 'all'
      ? undefined
      : and(eq(phoneNumbers.smsCapable, true), eq(phoneNumbers.hasActiveSubscription, true));
  const rows = await db
    .select(columns)
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.userId, userId), isActive, filter))
    .orderBy(asc(phoneNumbers.id));
  return rows.map(toRecord);
}

/** @throws Refusal if the number does not exist. */
export async function readPhoneNumber(queries: Queries, owned: OwnedNumber) {
  const [found] = await queries.select(columns).from(phoneNumbers).where(isOwned(owned));
  return found ? toRecord(found) : notFound();
}

/** @throws Refusal if the number does not exist. */
export async function renamePhoneNumber({ db }: Database, owned: OwnedNumber, nickname: string | null) {
  const [renamed] = await db
    .update(phoneNumbers)
    .set({ nickname: nickname?.trim() === '' ? null : nickname })
    .where(isOwned(owned))
    .returning(columns);
  return renamed ? toRecord(renamed) : notFound();
}

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
    if (!number) return notFound();
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

function notFound(): never {
  throw Refusal.notFoundError('Phone number');
}
