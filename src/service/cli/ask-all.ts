import { UsageError } from './command.ts';
import type { CommandInput, CommandValues } from './command.ts';

/** A question for an option, and the answer to an empty line, if that is an answer. */
export type Question = [option: string, question: string, fallback: string | undefined];

/** Asks a command's questions whose options are missing. @throws UsageError without a terminal. */
export async function askAll(
  command: string,
  asked: readonly Question[],
  given: CommandValues,
  { ask }: CommandInput,
): Promise<CommandValues> {
  const values = { ...given };
  for (const [option, question, fallback] of asked) {
    if (values[option] !== undefined) continue;
    const isOptional = fallback !== undefined;
    if (!ask && !isOptional) throw new UsageError(`${command}: --${option} is required.`);
    let answer = '';
    while (ask && answer === '') {
      const suggestion = isOptional && fallback !== '' ? ` [${fallback}]` : '';
      answer = (await ask(`${question}${suggestion}: `)).trim();
      if (isOptional) break;
    }
    values[option] = answer === '' ? (fallback ?? '') : answer;
  }
  return values;
}
