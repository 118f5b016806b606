import { settingsRows } from '../../../src/service/settings.ts';

/** The table of environment variables that the service reads. */
export function settingsTable(): string {
  return ['| Setting | Default | Meaning |', '|---|---|---|', ...settingsRows()].join('\n');
}
