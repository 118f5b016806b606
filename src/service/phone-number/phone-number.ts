import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { Refusal } from '../lib/refusal.ts';
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

export const isOwned = ({ id, userId }: OwnedNumber) =>
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
  return found ? toRecord(found) : numberNotFound();
}

/** @throws Refusal if the number does not exist. */
export async function renamePhoneNumber({ db }: Database, owned: OwnedNumber, nickname: string | null) {
  const [renamed] = await db
    .update(phoneNumbers)
    .set({ nickname: nickname?.trim() === '' ? null : nickname })
    .where(isOwned(owned))
    .returning(columns);
  return renamed ? toRecord(renamed) : numberNotFound();
}

export function numberNotFound(): never {
  throw Refusal.notFoundError('Phone number');
}
