import type { Command, CommandOption } from './command.ts';
import { settingsHelp } from '../settings.ts';
import { commands } from './commands.ts';

const call = 'npx node src/service/cli.ts';

/** The text of `--help`: all commands and settings. */
export function generalHelp(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `Usage: ${call} <command> [options]`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `"${call} <command> --help" lists the options of a command. --json prints the result as JSON.`,
    'Commands use the database that DATABASE_URL or DATA_DIR names. Only one process at a time can use an embedded',
    'database, so stop the service first.',
    '',
    'Settings are environment variables, the same as for the service:',
    '',
    settingsHelp(),
  ].join('\n');
}

/** The text of `<command> --help`. */
export function commandHelp({ name, summary, options }: Command): string {
  const given: [string, CommandOption][] = [
    ...Object.entries(options),
    ['json', { means: 'prints the result as JSON' }],
  ];
  const written = given.map(
    ([option, { value }]) => `--${option}${value === undefined ? '' : ` <${value}>`}`,
  );
  const width = Math.max(...written.map(({ length }) => length));
  const needed = given.flatMap(([, { required }], index) => (required === true ? [written[index]] : []));
  return [
    `Usage: ${[call, name, ...needed].join(' ')} [options]`,
    '',
    summary,
    '',
    ...given.map(([, { means }], index) => `  ${(written[index] ?? '').padEnd(width)}  ${means}`),
  ].join('\n');
}
