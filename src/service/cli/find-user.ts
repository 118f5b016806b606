import { eq, sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { users } from '../db/schema.ts';
import { CommandError } from './command.ts';

/** The option that selects a user. */
export const userOption = { value: 'id or e-mail', description: 'the user', required: true } as const;

/**
 * Finds a user by id or e-mail address.
 *
 * @throws CommandError if there is none.
 */
export async function findUser(
  queries: Queries,
  given: string | undefined,
): Promise<{ id: number; email: string }> {
  const text = given ?? '';
  const isId = /^\d{1,9}$/.test(text);
  const [found] = await queries
    .select({ id: users.id, email: users.email })
    .from(users)
    .where(isId ? eq(users.id, Number(text)) : sql`lower(${users.email}) = lower(${text})`);
  if (!found) throw new CommandError(`There is no user "${text}". "users list" shows them.`);
  return found;
}
