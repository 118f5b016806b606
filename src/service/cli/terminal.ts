import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { ReadLineOptions } from 'node:readline/promises';
import { CommandError } from './command.ts';
import type { CommandInput } from './command.ts';

/** The terminal of this process. */
export function terminal(env: CommandInput['env']): CommandInput {
  return {
    env,
    ask: process.stdin.isTTY ? ask : undefined,
    say: (text) => process.stderr.write(`${text}\n`),
  };
}

const ask = (question: string) => askIn({ input: process.stdin, output: process.stderr }, question);

/** Asks a question in a terminal. @throws CommandError if the person cancels with Ctrl+C or Ctrl+D. */
export async function askIn(streams: ReadLineOptions, question: string): Promise<string> {
  const lines = createInterface(streams);
  try {
    return await lines.question(question);
  } catch (error) {
    throw (error as Error).name === 'AbortError' ? new CommandError('Cancelled.', { cause: error }) : error;
  } finally {
    lines.close();
  }
}
