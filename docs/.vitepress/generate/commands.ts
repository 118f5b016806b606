import { commands } from '../../../src/service/cli/commands.ts';
import { code, table } from './table.ts';

/** The commands of the service's program with their options. */
export const commandsTable = () =>
  table(
    ['Command', 'Does', 'Options'],
    [{ name: 'start', summary: 'Runs the service.', options: {} }, ...commands].map(
      ({ name, summary, options }) => [
        code(name),
        summary,
        [...Object.keys(options), 'json'].map((option) => code(`--${option}`)).join(', '),
      ],
    ),
  );
