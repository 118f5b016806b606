import { eq, sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { CommandError, UsageError } from './command.ts';

/** The option that selects a user. */
export const userOption = {
  value: 'id or e-mail',
  description: 'the user; the only one by default',
} as const;

/**
 * Finds a user by id or e-mail address; without one, the only user.
 *
 * @throws CommandError if there is none; UsageError if several could be meant.
 */
export async function findUser(
  queries: Queries,
  given: string | undefined,
): Promise<{ id: number; email: string }> {
  if (given === undefined) return findOnlyUser(queries);
  const isId = /^\d{1,9}$/.test(given);
  const [found] = await queries
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(isId ? eq(users.id, Number(given)) : sql`lower(${users.email}) = lower(${given})`);
  if (!found) throw new CommandError(`There is no user "${given}". "users list" shows them.`);
  return found;
}

async function findOnlyUser(queries: Queries): Promise<{ id: number; email: string }> {
  const [first, ...others] = await queries.select({ id: users.id, email: users.email }).from(users).limit(2);
  if (!first) throw new CommandError('There is no user. "setup" creates the first one.');
  if (others.length > 0)
    throw new UsageError('There are several users. Name one with --user; "users list" shows them.');
  return first;
}
