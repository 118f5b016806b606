import { and, asc, eq } from 'drizzle-orm';
import { campaignPhoneNumbers } from '../db/campaigns-table.ts';
import type { Queries } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { isActive } from '../phone-number/phone-number.ts';

/**
 * Returns the caller IDs of a campaign in order, or the assistant's number if there are none.
 *
 * @param campaignId null for a call without a campaign.
 */
export async function findCallerIds(
  queries: Queries,
  campaignId: number | null,
  assistantNumberId: number | null,
): Promise<string[]> {
  const rotation = await queries
    .select({ phoneNumber: phoneNumbers.phoneNumber })
    .from(campaignPhoneNumbers)
    .innerJoin(phoneNumbers, eq(phoneNumbers.id, campaignPhoneNumbers.phoneNumberId))
    .where(and(eq(campaignPhoneNumbers.campaignId, campaignId ?? 0), isActive))
    .orderBy(asc(campaignPhoneNumbers.position));
  const found =
    rotation.length > 0
      ? rotation
      : await queries
          .select({ phoneNumber: phoneNumbers.phoneNumber })
          .from(phoneNumbers)
          .where(and(eq(phoneNumbers.id, assistantNumberId ?? 0), isActive));
  return found.map(({ phoneNumber }) => phoneNumber);
}
