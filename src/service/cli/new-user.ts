import { UsageError } from './command.ts';
import type { CommandValues } from './command.ts';

/** Longest name and e-mail address, in characters. */
const textLimit = 255;

/**
 * Reads the name and the e-mail address of a new user from a command's options.
 *
 * @throws UsageError
 */
export function readNewUser(values: CommandValues): { name: string; email: string } {
  const [name, email] = [textOf(values, 'name'), textOf(values, 'email')];
  if (!/^[^\s@]+@[^\s@]+$/.test(email)) throw new UsageError(`"${email}" is not an e-mail address.`);
  return { name, email };
}

function textOf(values: CommandValues, option: string): string {
  const text = (values[option] ?? '').trim();
  if (text.length > textLimit) throw new UsageError(`--${option} must have at most ${textLimit} characters.`);
  return text;
}
