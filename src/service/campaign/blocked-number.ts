import { and, eq } from 'drizzle-orm';
import type { BlockedNumbersQuery } from '../../contract/blocked-number.ts';
import type { Database, Queries } from '../db/database.ts';
import { blockedNumbers } from '../db/leads-table.ts';
import { countRecords, readTotal } from '../db/list-totals.ts';
import { newestPage } from '../db/newest-page.ts';
import { containsDigits } from '../db/contains-digits.ts';
import { wireColumns } from '../db/wire-columns.ts';
import type { Page } from '../db/newest-page.ts';
import { Refusal } from '../lib/refusal.ts';

const record = wireColumns(blockedNumbers, ['user_id']);

/** Whether a user has blocked a number. */
export async function isBlocked(queries: Queries, userId: number, phoneNumber: string): Promise<boolean> {
  const [found] = await queries
    .select({ id: blockedNumbers.id })
    .from(blockedNumbers)
    .where(matches(userId, phoneNumber));
  return found !== undefined;
}

const matches = (userId: number, phoneNumber: string) =>
  and(eq(blockedNumbers.userId, userId), eq(blockedNumbers.phoneNumber, phoneNumber));

/** Blocks a number for a user. Returns the record and whether it is new. */
export async function blockNumber(queries: Queries, userId: number, phoneNumber: string) {
  const added = await queries
    .insert(blockedNumbers)
    .values({ userId, phoneNumber })
    .onConflictDoNothing()
    .returning({ id: blockedNumbers.id });
  const [blocked] = await queries.select(record).from(blockedNumbers).where(matches(userId, phoneNumber));
  return { blocked, isNew: added.length > 0 };
}

/** Lists one page of a user's blocked numbers, newest first, with their total number. */
export async function listBlockedNumbers(
  { db }: Database,
  userId: number,
  { phone_number: digits }: BlockedNumbersQuery,
  page: Page,
) {
  const filter = and(
    eq(blockedNumbers.userId, userId),
    digits === undefined ? undefined : containsDigits(blockedNumbers.phoneNumber, digits),
  );
  const total =
    digits === undefined
      ? await readTotal(db, 'blocked_numbers', userId)
      : await countRecords(db, blockedNumbers, filter);
  const numbers = await newestPage(
    db.select(record).from(blockedNumbers).where(filter).$dynamic(),
    blockedNumbers.id,
    page,
  );
  return { total, numbers };
}

/** @throws Refusal if the number does not exist. */
export async function unblockNumber({ db }: Database, userId: number, id: number): Promise<void> {
  const deleted = await db
    .delete(blockedNumbers)
    .where(and(eq(blockedNumbers.id, id), eq(blockedNumbers.userId, userId)))
    .returning({ id: blockedNumbers.id });
  if (deleted.length === 0) throw Refusal.notFound('Blocked number');
}
