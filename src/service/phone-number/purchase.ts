import { sql } from 'drizzle-orm';
import { parsePhoneNumberFromString } from 'libphonenumber-js';
import { errorTexts } from '../../contract/error-body.ts';
import { moveMoney } from '../billing/ledger.ts';
import type { Database } from '../db/database.ts';
import { isUniqueViolation } from '../db/unique-violation.ts';
import { Refusal } from '../lib/refusal.ts';
import { endOfPaidMonth } from './end-of-paid-month.ts';
import { readPhoneNumber } from './phone-number.ts';

/** Maximum number of search results. */
const maxResults = 20;

/** Excludes numbers that belong to an account; Caller IDs do not count. */
const isAvailable = sql`NOT EXISTS (SELECT 1 FROM phone_numbers
  WHERE phone_numbers.phone_number = offered_numbers.phone_number AND type <> 'caller_id')`;

interface Offer extends Record<string, unknown> {
  phone_number: string;
}

/** Finds numbers for sale in a country, optionally with certain digits. */
export async function searchPhoneNumbers({ db }: Database, country: string, digits: string) {
  const { rows } = await db.execute<Offer>(sql`
    SELECT phone_number, country_code, price::float AS price, 'none' AS address_requirements, sms_capable
    FROM offered_numbers
    WHERE country_code = ${country} AND position(${digits} IN phone_number) > 0 AND ${isAvailable}
    ORDER BY phone_number LIMIT ${maxResults}`);
  return rows.map(({ phone_number, ...offer }) => ({
    phone_number,
    phone_number_formatted: parsePhoneNumberFromString(phone_number)?.formatInternational() ?? phone_number,
    ...offer,
  }));
}

/**
 * Buys a number and charges the first month.
 *
 * @throws Refusal if the number is not for sale, or the balance is too low.
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
          FROM offered_numbers WHERE phone_number = ${phoneNumber} AND ${isAvailable}
          RETURNING id, price`,
      )
      // The unique index lets one of two simultaneous purchases through.
      .catch((error: unknown) => {
        if (isUniqueViolation(error, 'phone_numbers_one_owner')) throw notForSale(error);
        if (isUniqueViolation(error, 'phone_numbers_user_id_phone_number_key')) throw notForSale(error);
        throw error;
      });
    const [purchased] = rows;
    if (!purchased) throw notForSale();
    const paid = await moveMoney(tx, { userId, kind: 'charge', amount: purchased.price });
    if (!paid) throw refusal(402, errorTexts.insufficientBalance);
    return readPhoneNumber(tx, { id: purchased.id, userId });
  });
}

const notForSale = (cause?: unknown) => refusal(400, 'This phone number is not on offer.', cause);

const refusal = (status: 400 | 402, message: string, cause?: unknown) =>
  new Refusal(status, { error: message, message }, { cause });
