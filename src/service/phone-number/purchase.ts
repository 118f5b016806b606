import { sql } from 'drizzle-orm';
import { errorTexts } from '../../contract/error-body.ts';
import { moveMoney } from '../billing/ledger.ts';
import type { Database } from '../db/database.ts';
import { isUniqueViolation } from '../db/unique-violation.ts';
import { Refusal, sentence } from '../lib/refusal.ts';
import { endOfPaidMonth } from './end-of-paid-month.ts';
import { readPhoneNumber } from './phone-number.ts';

/** Numbers of one answer to a search. */
const offered = 20;

/** Numbers that belong to somebody ring there and nowhere else. */
const isFree = sql`NOT EXISTS (SELECT 1 FROM phone_numbers
  WHERE phone_numbers.phone_number = offered_numbers.phone_number AND type <> 'caller_id')`;

/** Finds numbers on offer in a country, with certain digits if any are given. */
export async function searchPhoneNumbers({ db }: Database, country: string, digits: string) {
  const { rows } = await db.execute(sql`
    SELECT phone_number, formatted AS phone_number_formatted, country_code, price::float AS price,
      'none' AS address_requirements, sms_capable
    FROM offered_numbers
    WHERE country_code = ${country} AND position(${digits} IN phone_number) > 0 AND ${isFree}
    ORDER BY phone_number LIMIT ${offered}`);
  return rows;
}

/**
 * Buys a number on offer: the first month is taken from the balance.
 *
 * @throws Refusal if it is not on offer, or the balance is too low.
 */
export async function purchasePhoneNumber({ db }: Database, userId: number, phoneNumber: string) {
  return db.transaction(async (tx) => {
    const { rows } = await tx
      .execute<{ id: number; price: string }>(
        sql`
          INSERT INTO phone_numbers (user_id, phone_number, country_code, region, sms_capable,
            has_active_subscription, price, paid_until)
          SELECT ${userId}, phone_number, country_code, region, sms_capable,
            true, price, ${endOfPaidMonth(sql`now()`, sql`now()`)}
          FROM offered_numbers WHERE phone_number = ${phoneNumber} AND ${isFree}
          RETURNING id, price`,
      )
      // Of two who buy it at once, the index lets one through.
      .catch((error: unknown) => {
        if (isUniqueViolation(error, 'phone_numbers_one_owner')) throw notOnOffer(error);
        if (isUniqueViolation(error, 'phone_numbers_user_id_phone_number_key')) throw notOnOffer(error);
        throw error;
      });
    const [bought] = rows;
    if (!bought) throw notOnOffer();
    const paid = await moveMoney(tx, { userId, kind: 'charge', amount: bought.price });
    if (!paid) throw new Refusal(400, { error: errorTexts.insufficientBalance });
    return readPhoneNumber(tx, { id: bought.id, userId });
  });
}

const notOnOffer = (cause?: unknown) =>
  Refusal.invalidField(
    'phone_number',
    sentence('phone_number', 'must be a phone number that the search offers.'),
    { cause },
  );
