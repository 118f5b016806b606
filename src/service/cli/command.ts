import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { OperatorError } from '../operator-error.ts';

/** An option of a command. */
export interface CommandOption {
  /** What stands for its value in the help; an option without one is a switch. */
  value?: string;
  means: string;
  required?: boolean;
}

/** What a command works with. */
export interface CommandContext {
  config: Config;
  /** Open, and up to date. */
  database: Database;
}

/** The given options by their names. */
export type CommandValues = Readonly<Record<string, string | undefined>>;

/** What a command has to say: to a person, and with `--json` to a program. */
export interface CommandOutput {
  lines: readonly string[];
  data: unknown;
}

/** One command of the command line. */
export interface Command {
  /** The words that call it, such as `users create`. */
  name: string;
  summary: string;
  options: Readonly<Record<string, CommandOption>>;
  run(context: CommandContext, values: CommandValues): Promise<CommandOutput>;
}

/** The command was given something that it cannot do anything with. A sentence helps; a stack does not. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError';
}

/** The command line was not understood. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
