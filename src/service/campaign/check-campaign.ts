import { sql } from 'drizzle-orm';
import type { CreateCampaignRequest } from '../../contract/campaign.ts';
import type { Database } from '../db/database.ts';
import { sentence } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';

interface Found extends Record<string, unknown> {
  numbers: number;
  isReleasing: boolean;
}

/** Validates the phone numbers of a new campaign. Other users' numbers count as missing. */
export async function checkCampaign(
  { db }: Database,
  userId: number,
  { phone_number_ids: numberIds }: Partial<CreateCampaignRequest>,
): Promise<FieldErrors> {
  const ids = [...new Set(numberIds)];
  const { rows } = await db.execute<Found>(sql`
    SELECT count(*)::integer AS numbers, coalesce(bool_or(release_at IS NOT NULL), false) AS "isReleasing"
    FROM phone_numbers
    WHERE user_id = ${userId} AND NOT is_pending
      AND id IN (SELECT value::integer FROM jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`);
  const errors: FieldErrors = {};
  const fail = (field: string, rule: string) => {
    errors[field] = [sentence(field, rule)];
  };
  if (Number(rows[0]?.numbers) < ids.length) fail('phone_number_ids', 'selected is invalid.');
  else if (rows[0]?.isReleasing === true) {
    fail('phone_number_ids', 'must not have a phone number that is scheduled for release.');
  }
  return errors;
}
