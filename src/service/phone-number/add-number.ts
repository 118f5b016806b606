import { phoneNumbers } from '../db/phone-numbers-table.ts';
import type { Database } from '../db/database.ts';
import { isUniqueViolation } from '../db/unique-violation.ts';

/** A number that an account brings along. */
export interface OwnNumber {
  userId: number;
  /** E.164. */
  phoneNumber: string;
  countryCode: string;
  /** `sip` is reached by a trunk of the user's own, `caller_id` only shows when calling. */
  type: 'sip' | 'caller_id';
}

/** The number rings elsewhere already, or the user has it. */
export class NumberTakenError extends Error {
  override readonly name = 'NumberTakenError';
}

/**
 * Gives an account a number that nobody sells. It costs nothing.
 *
 * @returns the record's id.
 * @throws NumberTakenError
 */
export async function addNumber({ db }: Database, number: OwnNumber): Promise<number> {
  const [added] = await db
    .insert(phoneNumbers)
    .values(number)
    .returning({ id: phoneNumbers.id })
    .catch((cause: unknown) => {
      if (isUniqueViolation(cause, 'phone_numbers_one_owner')) {
        throw new NumberTakenError('An account has this number already, and it can ring in one place only.', {
          cause,
        });
      }
      if (isUniqueViolation(cause, 'phone_numbers_user_id_phone_number_key')) {
        throw new NumberTakenError('The user has this number already.', { cause });
      }
      throw cause;
    });
  if (!added) throw new Error('The number was not stored.');
  return added.id;
}
