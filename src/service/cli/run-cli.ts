import { resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { ParseArgsOptionDescriptor } from 'node:util';
import { readConfig } from '../config.ts';
import type { Database } from '../db/database.ts';
import { DataFolderInUseError } from '../db/lock-folder.ts';
import { readVersion } from '../lib/read-version.ts';
import { isDatabaseMissing, openDatabase } from '../open-database.ts';
import { createLog } from '../log.ts';
import { describeFailure } from '../operator-error.ts';
import { CommandError, UsageError } from './command.ts';
import type { Command, CommandInput, CommandOutput, CommandValues } from './command.ts';
import { runInService } from './command-socket.ts';
import { commands } from './commands.ts';
import { commandHelp, generalHelp, groupHelp } from './help.ts';
import { runCommand } from './run-command.ts';
import { terminal } from './terminal.ts';

/** Output streams of the command line. */
export interface CliStreams {
  out: (text: string) => void;
  err: (text: string) => void;
}

/**
 * Runs one command.
 *
 * @param opened an open database, which the caller closes; by default the configured one is opened.
 * @param input the terminal in which it was entered; by default that of this process.
 * @returns the exit code: 0 for success, 1 for a failure, 2 for an invalid command line.
 */
export async function runCli(
  args: string[],
  env: Record<string, string | undefined>,
  { out, err }: CliStreams,
  opened?: Database,
  input: CommandInput = terminal(env),
): Promise<number> {
  if (['--version', '-v'].includes(args[0] ?? '')) {
    out(readVersion());
    return 0;
  }
  let command: Command | undefined;
  try {
    const found = findCommand(args);
    if (!found) {
      const isHelpRequested = args.length <= 2 && isHelp(args.at(-1));
      const group = relatedCommands(args[0]);
      (isHelpRequested ? out : err)(group.length > 0 ? groupHelp(group) : generalHelp());
      return isHelpRequested ? 0 : 2;
    }
    command = found.command;
    const { rest } = found;
    const values = readOptions(command, rest);
    if (values === 'help') {
      out(commandHelp(command));
      return 0;
    }
    const prepared = (await command.prepare?.(values.given, input)) ?? { values: values.given };
    const outcome = { hasFailed: false };
    const data = await run(command, prepared.values, env, opened, ({ lines, hasFailed = false }) => {
      outcome.hasFailed = hasFailed;
      if (!values.json && lines.length > 0) out(lines.join('\n'));
    });
    if (values.json) out(JSON.stringify(data, null, 2));
    if (!outcome.hasFailed) await prepared.finish?.();
    return outcome.hasFailed ? 1 : 0;
  } catch (error) {
    if (error instanceof UsageError) {
      const help = command
        ? `"${command.name} --help" lists the options of the command.`
        : '"--help" lists all commands.';
      err(`${error.message}\n${help}`);
      return 2;
    }
    err(describeFailure(error));
    return 1;
  }
}

function findCommand(args: string[]): { command: Command; rest: string[] } | undefined {
  const [first, second] = args;
  if (first === undefined || isHelp(first)) return undefined;
  if (first.startsWith('-')) throw new UsageError(`Options such as ${first} come after the command.`);
  const command = commands.find(({ name }) => `${args.join(' ')} `.startsWith(`${name} `));
  if (command) return { command, rest: args.slice(command.name.split(' ').length) };
  const related = relatedCommands(first);
  if (related.length > 0 && args.length === 2 && isHelp(second)) return undefined;
  throw new UsageError(
    related.length > 0
      ? `"${first}" is incomplete: use ${related.map(({ name }) => `"${name}"`).join(' or ')}.`
      : `There is no command "${args.filter((word) => !word.startsWith('-')).join(' ')}".`,
  );
}

function isHelp(word: string | undefined): boolean {
  return ['--help', '-h', 'help'].includes(word ?? '');
}

/** Returns the commands about an object, such as `keys create` and `keys list` for `keys`. */
function relatedCommands(object = ''): Command[] {
  return commands.filter(({ name }) => name.startsWith(`${object} `));
}

function readOptions(command: Command, rest: string[]): 'help' | { given: CommandValues; json: boolean } {
  const known: Record<string, ParseArgsOptionDescriptor> = {
    help: { type: 'boolean', short: 'h' },
    json: { type: 'boolean' },
  };
  for (const [name, { value }] of Object.entries(command.options)) {
    known[name] = { type: value === undefined ? 'boolean' : 'string' };
  }
  let values: Record<string, unknown>;
  try {
    ({ values } = parseArgs({ args: rest, options: known, strict: true, allowPositionals: false }));
  } catch (cause) {
    const [problem = ''] = (cause as Error).message.split('. To specify');
    throw new UsageError(`${command.name}: ${problem.replace(/\.$/, '')}.`, { cause });
  }
  if (values['help'] === true) return 'help';
  for (const [name, { required, value }] of Object.entries(command.options)) {
    const given = values[name];
    if (value !== undefined && typeof given === 'string' && given.trim() === '') {
      throw new UsageError(`${command.name}: --${name} must not be empty.`);
    }
    if (required === true && given === undefined) {
      throw new UsageError(
        `${command.name}: --${name}${value === undefined ? '' : ` <${value}>`} is required.`,
      );
    }
  }
  const { json, ...given } = values;
  const texts = Object.entries(given).map(([name, value]) => [name, value === true ? 'yes' : value]);
  return { given: Object.fromEntries(texts) as CommandValues, json: json === true };
}

async function run(
  command: Command,
  values: CommandValues,
  env: Record<string, string | undefined>,
  opened: Database | undefined,
  print: (output: CommandOutput) => void,
): Promise<unknown> {
  const config = readConfig({ LOG_LEVEL: 'warn', ...env });
  const runOn = (database: Database) =>
    repeat((given) => runCommand(command, { config, database }, given), values, print);
  if (opened) return runOn(opened);
  // Without this, a command that lacks the settings of the service would succeed, on an empty database.
  if (!command.createsDatabase && (await isDatabaseMissing(config))) {
    throw new CommandError(
      `There is no database in ${resolve(config.dataDir)}. Set DATABASE_URL or DATA_DIR as for the service, or create ` +
        'a database with "setup".',
    );
  }
  let database: Database;
  try {
    database = await openDatabase(config, createLog(config.logLevel));
  } catch (error) {
    if (!(error instanceof DataFolderInUseError)) throw error;
    const runRemote = async (given: CommandValues) => {
      const output = await runInService(config, { name: command.name, values: given });
      if (!output) throw error;
      return output;
    };
    return repeat(runRemote, values, print);
  }
  try {
    return await runOn(database);
  } finally {
    await database.close();
  }
}

/** Runs a command until it has printed everything. Returns the data of its last output. */
async function repeat(
  runOnce: (values: CommandValues) => Promise<CommandOutput>,
  values: CommandValues,
  print: (output: CommandOutput) => void,
): Promise<unknown> {
  for (let given = values; ;) {
    const output = await runOnce(given);
    print(output);
    if (!output.next) return output.data;
    given = output.next;
    await pause(repeatMs);
  }
}

const repeatMs = 200;
