import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { applyChanges } from './assistant-fields.ts';
import type { AssistantRow, GivenFields } from './assistant-fields.ts';

/**
 * Adds omitted providers: those that support the assistant's language, preferably the provider of its voice.
 * (Interface: "chosen automatically from language when omitted".) Transcribers are only for the mode `pipeline`.
 */
export async function chooseProviders(
  queries: Queries,
  before: AssistantRow | undefined,
  changes: GivenFields,
): Promise<GivenFields> {
  const after = applyChanges(before, changes);
  const changesLanguage = changes.language_id !== undefined && changes.language_id !== before?.language_id;
  const needs = (field: 'synthesizer_provider_id' | 'transcriber_provider_id') =>
    (after[field] ?? null) === null || (changesLanguage && (changes[field] ?? null) === null);
  const chosen: GivenFields = {};
  if (needs('synthesizer_provider_id')) {
    chosen.synthesizer_provider_id = await choose(queries, 'synthesizer', after);
  }
  if (after.mode === 'pipeline' && needs('transcriber_provider_id')) {
    chosen.transcriber_provider_id = await choose(queries, 'transcriber', after);
  }
  return { ...changes, ...chosen };
}

async function choose(
  queries: Queries,
  kind: string,
  { language_id, voice_id }: Partial<AssistantRow>,
): Promise<number | null> {
  const { rows } = await queries.execute<{ id: number }>(sql`
    SELECT providers.id FROM providers JOIN provider_languages ON provider_id = providers.id
    WHERE kind = ${kind} AND language_id = ${language_id ?? 0}::integer
    ORDER BY providers.id = (SELECT synthesizer_provider_id FROM voices WHERE id = ${voice_id ?? 0}::integer) DESC NULLS LAST,
      providers.id
    LIMIT 1`);
  return rows[0]?.id ?? null;
}
