import { and, asc, eq, gt, isNull, or, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { typeLabel } from './type-label.ts';

/** A number and the user who asks for it. */
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

/** Numbers whose time has come are gone, whether or not they have been cleared away yet. */
const isThere = or(isNull(phoneNumbers.releaseAt), gt(phoneNumbers.releaseAt, sql`now()`));

const isOwned = ({ id, userId }: OwnedNumber) =>
  and(eq(phoneNumbers.id, id), eq(phoneNumbers.userId, userId), isThere);

type Row = Pick<typeof phoneNumbers.$inferSelect, 'id' | 'type' | 'nickname' | 'region'> &
  Record<'phone_number' | 'country_code' | 'created_at', string> &
  Record<'sms_capable' | 'has_active_subscription', boolean> & { release_at: string | null };

/** A row as the wire has it (interface: "Phone number"). */
const toRecord = ({ id, phone_number, country_code, type, ...rest }: Row) => ({
  id,
  phone_number,
  country_code,
  type,
  type_label: typeLabel(type),
  ...rest,
});

/** The numbers of a user, oldest first; of old clients only those that take SMS and have a subscription. */
export async function listPhoneNumbers({ db }: Database, userId: number, which: 'all' | 'sms') {
  const isWanted =
    which === 'all'
      ? undefined
      : and(eq(phoneNumbers.smsCapable, true), eq(phoneNumbers.hasActiveSubscription, true));
  const rows = await db
    .select(columns)
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.userId, userId), isThere, isWanted))
    .orderBy(asc(phoneNumbers.id));
  return rows.map(toRecord);
}

/** @throws Refusal if there is no such number. */
export async function readPhoneNumber(queries: Queries, owned: OwnedNumber) {
  const [found] = await queries.select(columns).from(phoneNumbers).where(isOwned(owned));
  return found ? toRecord(found) : notFound();
}

/** @throws Refusal if there is no such number. */
export async function renamePhoneNumber({ db }: Database, owned: OwnedNumber, nickname: string | null) {
  const [renamed] = await db
    .update(phoneNumbers)
    .set({ nickname: nickname?.trim() === '' ? null : nickname })
    .where(isOwned(owned))
    .returning(columns);
  return renamed ? toRecord(renamed) : notFound();
}

/**
 * Releases a number (interface: "Phone number release"). The subscription of a dedicated one is cancelled, and it stays
 * until the month that is paid for is over; the others go at once, and so does a dedicated one that nobody pays for. What names a number loses it when it goes.
 *
 * @returns when it goes (ISO 8601), undefined if it has gone.
 * @throws Refusal if there is no such number, or its release was asked for before.
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
        staysForNow: sql<boolean>`${phoneNumbers.type} = 'normal' AND ${phoneNumbers.hasActiveSubscription}`,
        isLeaving: sql<boolean>`${phoneNumbers.releaseAt} IS NOT NULL`,
      })
      .from(phoneNumbers)
      .where(isOwned(owned))
      .for('update');
    if (!number) return notFound();
    if (number.isLeaving) {
      throw new Refusal(400, { error: 'This phone number is already scheduled for release.' });
    }
    if (!number.staysForNow) {
      await tx.delete(phoneNumbers).where(eq(phoneNumbers.id, owned.id));
      if (number.type === 'caller_id') {
        await jobs.send('remove-caller-id', { phoneNumber: number.phoneNumber }, { tx });
      }
      return undefined;
    }
    const [scheduled] = await tx
      .update(phoneNumbers)
      // Where the next month is about to be charged, it is not.
      .set({ releaseAt: sql`greatest(${phoneNumbers.paidUntil}, now())`, hasActiveSubscription: false })
      .where(eq(phoneNumbers.id, owned.id))
      .returning({ at: wireTimestamp(phoneNumbers.releaseAt) });
    return scheduled?.at;
  });
}

/** Clears away the numbers whose time has come; assistants and campaigns lose them with that, calls keep theirs. */
export async function clearReleasedNumbers(queries: Queries): Promise<void> {
  await queries.execute(sql`DELETE FROM phone_numbers WHERE release_at <= now()`);
}

function notFound(): never {
  throw Refusal.notFoundError('Phone number');
}
