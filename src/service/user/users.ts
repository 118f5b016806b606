import { asc, count, eq } from 'drizzle-orm';
import { moveMoney } from '../billing/ledger.ts';
import type { Database } from '../db/database.ts';
import { apiKeys, users } from '../db/schema.ts';
import { isUniqueViolation } from '../db/unique-violation.ts';

/** The e-mail address is in use. */
export class EmailTakenError extends Error {
  override readonly name = 'EmailTakenError';
  constructor(email: string, cause: unknown) {
    super(`There is already a user with the e-mail address ${email}.`, { cause });
  }
}

/**
 * Stores a user.
 *
 * @param user.balance the first balance in USD, as a decimal string; 0 by default.
 * @throws EmailTakenError
 */
export async function createUser(
  { db }: Database,
  { name, email, balance = '0' }: { name: string; email: string; balance?: string },
): Promise<number> {
  return db.transaction(async (tx) => {
    const [created] = await tx
      .insert(users)
      .values({ name, email })
      .returning({ id: users.id })
      .catch((error: unknown) => {
        throw isUniqueViolation(error, 'users_email') ? new EmailTakenError(email, error) : error;
      });
    if (!created) throw new Error('The user was not stored.');
    if (Number(balance) > 0) {
      await moveMoney(tx, { userId: created.id, kind: 'top_up', amount: balance });
    }
    return created.id;
  });
}

/** Lists all users with the number of their keys, oldest first. */
export async function listUsers({ db }: Database) {
  return db
    .select({
      id: users.id,
      name: users.name,
      email: users.email,
      balance: users.balance,
      keys: count(apiKeys.id),
    })
    .from(users)
    .leftJoin(apiKeys, eq(apiKeys.userId, users.id))
    .groupBy(users.id)
    .orderBy(asc(users.id));
}
