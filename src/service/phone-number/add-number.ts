import { phoneNumbers } from '../db/phone-numbers-table.ts';
import type { Database } from '../db/database.ts';
import { isUniqueViolation } from '../db/unique-violation.ts';

/** A number that the account provides instead of buying it. */
export interface OwnNumber {
  userId: number;
  /** E.164. */
  phoneNumber: string;
  countryCode: string;
  /**
   * `normal` numbers belong to the carrier's account; `sip` numbers are connected by the user's own trunk; `caller_id`
   * numbers are only displayed on outgoing calls.
   */
  type: 'normal' | 'sip' | 'caller_id';
}

/** The number already belongs to this account or another one. */
export class NumberTakenError extends Error {
  override readonly name = 'NumberTakenError';
}

/**
 * Adds a number to an account, free of charge.
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
        throw new NumberTakenError(
          'This number already belongs to an account. A number can belong to only one account.',
          {
            cause,
          },
        );
      }
      if (isUniqueViolation(cause, 'phone_numbers_user_id_phone_number_key')) {
        throw new NumberTakenError('The user already has this number.', { cause });
      }
      throw cause;
    });
  if (!added) throw new Error('The number was not stored.');
  return added.id;
}
