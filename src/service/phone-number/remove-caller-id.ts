import { and, eq } from 'drizzle-orm';
import type { Carrier } from '../carrier/carrier.ts';
import type { Database } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';

/** Removes a released Caller ID number from the carrier, unless another account uses it. */
export async function removeCallerId(
  { database: { db }, carrier }: { database: Database; carrier: Pick<Carrier, 'removeCallerId'> },
  phoneNumber: string,
): Promise<void> {
  const [remaining] = await db
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.phoneNumber, phoneNumber), eq(phoneNumbers.type, 'caller_id')))
    .limit(1);
  if (!remaining) await carrier.removeCallerId?.(phoneNumber);
}
