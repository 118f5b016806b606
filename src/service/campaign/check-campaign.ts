import { sql } from 'drizzle-orm';
import type { CreateCampaignRequest } from '../../contract/campaign.ts';
import type { Database } from '../db/database.ts';
import { sentence } from '../lib/refusal.ts';
import type { FieldErrors } from '../lib/refusal.ts';

interface Found extends Record<string, unknown> {
  assistant_type: string | null;
  numbers: number;
  leaving: boolean;
}

/** What the database finds wrong with the records that a campaign names. Another user's are not told from missing ones. */
export async function checkCampaign(
  { db }: Database,
  userId: number,
  { assistant_id: assistantId, phone_number_ids: numberIds }: Partial<CreateCampaignRequest>,
): Promise<FieldErrors> {
  const ids = [...new Set(numberIds)];
  const { rows } = await db.execute<Found>(sql`
    SELECT
      (SELECT type FROM assistants WHERE id = ${assistantId ?? 0} AND user_id = ${userId} AND deleted_at IS NULL)
        AS assistant_type,
      count(*)::integer AS numbers, coalesce(bool_or(release_at IS NOT NULL), false) AS leaving
    FROM phone_numbers
    WHERE user_id = ${userId}
      AND id IN (SELECT value::integer FROM jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`);
  const errors: FieldErrors = {};
  const fail = (field: string, what: string) => {
    errors[field] = [sentence(field, what)];
  };
  const type = rows[0]?.assistant_type;
  if (assistantId !== undefined && type !== 'outbound') {
    fail('assistant_id', type === 'inbound' ? 'must be an outbound assistant.' : 'selected is invalid.');
  }
  if (Number(rows[0]?.numbers) < ids.length) fail('phone_number_ids', 'selected is invalid.');
  else if (rows[0]?.leaving === true) {
    fail('phone_number_ids', 'must not have a phone number that is scheduled for release.');
  }
  return errors;
}
