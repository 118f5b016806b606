import type { RecordKind } from '../../contract/operations.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/database.ts';
import { OperatorError } from '../operator-error.ts';

/** An option of a command. */
export interface CommandOption {
  /** Placeholder of its value in the help; an option without one is a switch. */
  value?: string;
  description: string;
  required?: boolean;
}

/** The context of a command. */
export interface CommandContext {
  config: Config;
  /** Open and migrated. */
  database: Database;
}

/** The values of options by name. */
export type CommandValues = Readonly<Record<string, string | undefined>>;

/** The output of a command: as text, and as JSON with `--json`. */
export interface CommandOutput {
  lines: readonly string[];
  data: unknown;
  /** If set, the command is run again with these values after a short pause, and prints more lines. */
  next?: CommandValues | undefined;
  /** Whether the command ran but found a problem, so that the exit code is 1. */
  hasFailed?: boolean;
}

/** A record that a command changed, for the audit log of its owner. */
export interface ChangedRecord {
  userId: number;
  object: RecordKind;
  /** Null if an account has only one such record, or if the id would identify a person. */
  objectId: number | null;
}

/** The terminal and the files of the process in which a command was entered. */
export interface CommandInput {
  /** In the program, without the settings of the settings file. */
  env: Readonly<Record<string, string | undefined>>;
  /** Asks a question and returns the answer; undefined without a terminal, as in a script. */
  ask: ((question: string) => Promise<string>) | undefined;
  /** Prints a line, but not into the output. */
  say: (text: string) => void;
}

/** A command that is ready to run. */
export interface PreparedCommand {
  values: CommandValues;
  /** Called once the command has succeeded. */
  finish?: (() => Promise<void>) | undefined;
}

interface CommandDescription {
  /** Its words on the command line, such as `users create`. */
  name: string;
  summary: string;
  options: Readonly<Record<string, CommandOption>>;
  /** Whether it may be the first command of an operator, and creates an embedded database that is missing. */
  createsDatabase?: true;
  /** Whether it depends on SECRET_KEYS. A running service then refuses it if its own keys are others. */
  usesSecretKeys?: true;
  /**
   * Completes the values before the command runs: asks questions, reads files. The command itself may run in another
   * process, that of a service with an embedded database.
   */
  prepare?(values: CommandValues, input: CommandInput): Promise<PreparedCommand>;
}

/** A command that reads, or that manages the whole database. */
interface PlainCommand extends CommandDescription {
  run(context: CommandContext, values: CommandValues): Promise<CommandOutput>;
}

/** A command that changes records of users: in one transaction, together with the entries in the audit log. */
interface ChangingCommand extends CommandDescription {
  /** The database in the context is bound to the transaction. */
  change(
    context: CommandContext,
    values: CommandValues,
  ): Promise<CommandOutput & { changed: readonly ChangedRecord[] }>;
}

/** A command. */
export type Command = PlainCommand | ChangingCommand;

/** The command cannot work with its arguments. The message suffices; a stack would not help. */
export class CommandError extends OperatorError {
  override readonly name = 'CommandError';
}

/** The command line is invalid. */
export class UsageError extends OperatorError {
  override readonly name = 'UsageError';
}
