import { sql } from 'drizzle-orm';
import type { CreateCampaignRequest } from '../../contract/campaign.ts';
import type { Database } from '../db/database.ts';
import { sentence } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';

interface Found extends Record<string, unknown> {
  numbers: number;
  leaving: boolean;
}

/** Checks a new campaign's phone numbers. Another user's numbers count as missing. */
export async function checkCampaign(
  { db }: Database,
  userId: number,
  { phone_number_ids: numberIds }: Partial<CreateCampaignRequest>,
): Promise<FieldErrors> {
  const ids = [...new Set(numberIds)];
  const { rows } = await db.execute<Found>(sql`
    SELECT count(*)::integer AS numbers, coalesce(bool_or(release_at IS NOT NULL), false) AS leaving
    FROM phone_numbers
    WHERE user_id = ${userId}
      AND id IN (SELECT value::integer FROM jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`);
  const errors: FieldErrors = {};
  const fail = (field: string, what: string) => {
    errors[field] = [sentence(field, what)];
  };
  if (Number(rows[0]?.numbers) < ids.length) fail('phone_number_ids', 'selected is invalid.');
  else if (rows[0]?.leaving === true) {
    fail('phone_number_ids', 'must not have a phone number that is scheduled for release.');
  }
  return errors;
}
