import type { Command, CommandOption } from './command.ts';
import { commands } from './commands.ts';

const call = 'npx node src/service/cli.ts';

/** What `--help` says of everything. */
export function generalHelp(): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return [
    `Usage: ${call} <command> [options]`,
    '',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`),
    '',
    `"${call} <command> --help" says more of one. --json prints the result for programs.`,
    'The database is the one that DATABASE_URL or DATA_DIR names, as for the service. An embedded one belongs to one',
    'process at a time, so the service has to be stopped first.',
  ].join('\n');
}

/** What it says of one command. */
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
