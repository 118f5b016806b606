import { and, asc, eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';

/** Returns the numbers of all users that belong to the carrier's account. */
export async function listBoughtNumbers({ db }: Database): Promise<string[]> {
  const found = await db
    .select({ phoneNumber: phoneNumbers.phoneNumber })
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.type, 'normal'), eq(phoneNumbers.isPending, false)))
    .orderBy(asc(phoneNumbers.id));
  return found.map(({ phoneNumber }) => phoneNumber);
}
