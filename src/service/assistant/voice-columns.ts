import { assistants, languages } from '../db/schema.ts';
import { engineContextColumns } from './engine-context.ts';

/** What decides how calls of an assistant are held; the query joins assistants with languages. */
export const voiceColumns = {
  mode: assistants.mode,
  model: engineContextColumns.model,
  language: languages.iso2,
};
