import { en } from '../../../src/widget/texts/en.ts';
import { code, plain, table } from './table.ts';

/** The texts of the panel that a site can replace. */
export const textsTable = () =>
  table(
    ['Key', 'English text'],
    Object.entries(en).map(([key, text]) => [
      code(key),
      plain(typeof text === 'string' ? text : `${text.one} / ${text.other}`),
    ]),
  );
