import { UsageError } from './command.ts';
import type { CommandInput, CommandValues } from './command.ts';

/** A question for an option. */
export type Question = [
  option: string,
  question: string,
  /** The answer to an empty line, if that is an answer. */
  fallback: string | undefined,
  /** Returns what is wrong with an answer. */
  check?: (answer: string) => string | undefined,
];

/**
 * Asks a command's questions whose options are missing, and again if an answer is wrong.
 *
 * @throws UsageError without a terminal, or if the value of an option is wrong.
 */
export async function askAll(
  command: string,
  asked: readonly Question[],
  given: CommandValues,
  { ask, say }: CommandInput,
): Promise<CommandValues> {
  const values = { ...given };
  for (const [option, question, fallback, check] of asked) {
    const value = given[option]?.trim();
    if (value !== undefined) {
      const problem = check?.(value);
      if (problem !== undefined) throw new UsageError(`${command}: --${option}: ${problem}`);
      values[option] = value;
      continue;
    }
    if (!ask && fallback === undefined) throw new UsageError(`${command}: --${option} is required.`);
    const suggestion = fallback ? ` [${fallback}]` : '';
    let answer = fallback;
    while (ask) {
      answer = (await ask(`${question}${suggestion}: `)).trim() || fallback;
      const wrong = answer === undefined ? undefined : check?.(answer);
      if (wrong !== undefined) say(wrong);
      else if (answer !== undefined) break;
    }
    values[option] = answer;
  }
  return values;
}
