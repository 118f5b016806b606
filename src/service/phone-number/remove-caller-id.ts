import { and, eq } from 'drizzle-orm';
import type { Carrier } from '../carrier/carrier.ts';
import type { Database } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';

/** Has the carrier forget a Caller ID number that was released, unless another account shows it, too. */
export async function removeCallerId(
  { database: { db }, carrier }: { database: Database; carrier: Carrier },
  phoneNumber: string,
): Promise<void> {
  const [shown] = await db
    .select({ id: phoneNumbers.id })
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.phoneNumber, phoneNumber), eq(phoneNumbers.type, 'caller_id')))
    .limit(1);
  if (!shown) await carrier.release?.(phoneNumber);
}
