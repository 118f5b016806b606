import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import type { CommandInput } from './command.ts';

/** The terminal of this process. */
export function terminal(env: CommandInput['env']): CommandInput {
  return {
    env,
    ask: process.stdin.isTTY ? ask : undefined,
    say: (text) => process.stderr.write(`${text}\n`),
  };
}

async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}
