import type { Command, CommandOption } from './command.ts';
import { settingsHelp } from '../settings.ts';
import { commands } from './commands.ts';
import { invocation } from './invocation.ts';

/** Returns the text of `--help`: all commands and settings. */
export function generalHelp(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `Usage: ${invocation} <command> [options]`,
    '',
    `  ${'start'.padEnd(width)}  Runs the service.`,
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `"${invocation} <command> --help" lists the options of a command. --json prints the result as JSON.`,
    '--version prints the version.',
    'Commands use the database that DATABASE_URL or DATA_DIR names. While a service uses an embedded database, it runs',
    'them.',
    '',
    'Settings are environment variables, the same as for the service:',
    '',
    settingsHelp(),
  ].join('\n');
}

/** Returns the text of `<object> --help`: the commands about it, such as `keys`. */
export function groupHelp(group: readonly Command[]): string {
  const object = group[0]?.name.split(' ')[0] ?? '';
  const width = Math.max(...group.map(({ name }) => name.length));
  return [
    `Usage: ${invocation} ${object} <command> [options]`,
    '',
    ...group.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `"${invocation} ${object} <command> --help" lists the options of a command.`,
  ].join('\n');
}

/** Returns the text of `<command> --help`. */
export function commandHelp({ name, summary, options }: Command): string {
  const allOptions: [string, CommandOption][] = [
    ...Object.entries(options),
    ['json', { description: 'prints the result as JSON' }],
  ];
  const usages = allOptions.map(
    ([option, { value }]) => `--${option}${value === undefined ? '' : ` <${value}>`}`,
  );
  const width = Math.max(...usages.map(({ length }) => length));
  const requiredUsages = allOptions.flatMap(([, { required }], index) =>
    required === true ? [usages[index]] : [],
  );
  return [
    `Usage: ${[invocation, name, ...requiredUsages].join(' ')} [options]`,
    '',
    summary,
    '',
    ...allOptions.map(
      ([, { description: means }], index) => `  ${(usages[index] ?? '').padEnd(width)}  ${means}`,
    ),
  ].join('\n');
}
