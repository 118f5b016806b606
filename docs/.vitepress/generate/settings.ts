import { settingsRows } from '../../../src/service/settings.ts';

/** The environment variables that the service reads. */
export const settingsTable = () =>
  ['| Setting | Default | Meaning |', '|---|---|---|', ...settingsRows()].join('\n');
