import { UsageError } from './command.ts';
import type { CommandValues } from './command.ts';

/** Returns what is wrong with the name of a user. */
export const nameProblem = (name: string): string | undefined =>
  name.length > 255 ? 'A name must have at most 255 characters.' : undefined;

/** Returns what is wrong with the e-mail address of a user. */
export function emailProblem(email: string): string | undefined {
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) return `"${email}" is not an e-mail address.`;
  return email.length > 255 ? 'An e-mail address must have at most 255 characters.' : undefined;
}

/**
 * Reads the name and the e-mail address of a new user from a command's options.
 *
 * @throws UsageError
 */
export function readNewUser(values: CommandValues): { name: string; email: string } {
  const [name = '', email = ''] = [values['name']?.trim(), values['email']?.trim()];
  const problem = nameProblem(name) ?? emailProblem(email);
  if (problem !== undefined) throw new UsageError(problem);
  return { name, email };
}
