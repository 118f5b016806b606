import { sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import type { ModelConfig } from '../engine/read-models.ts';
import type { ProviderVoice, SpeechConfig } from '../voice/speech-config.ts';

interface StoredProvider {
  kind: 'synthesizer' | 'transcriber';
  code: string;
  name: string;
  languages: readonly string[] | undefined;
  voices: readonly ProviderVoice[];
  /** Modes of assistants that can use the voices. */
  modes: readonly string[];
}

/**
 * Stores the configured speech providers and their voices, by code, so that assistants can choose them. A realtime
 * model with voices is a speech provider, too. Providers and voices that were removed from the settings stay stored,
 * because assistants may use them; those assistants get the default speech.
 */
export async function storeVoices(
  { db }: Database,
  { synthesizers, transcribers }: SpeechConfig,
  models: readonly ModelConfig[],
): Promise<void> {
  const stored: StoredProvider[] = [
    ...synthesizers.map((each) => ({
      ...each,
      kind: 'synthesizer' as const,
      modes: ['pipeline', 'dualplex'],
    })),
    ...transcribers.map((each) => ({ ...each, kind: 'transcriber' as const, voices: [], modes: [] })),
    ...models.flatMap(realtimeProvider),
  ];
  if (stored.length === 0) return;
  await db.transaction(async (tx) => {
    // Processes that start together must not take the same ids.
    await tx.execute(sql`LOCK TABLE providers, voices IN SHARE ROW EXCLUSIVE MODE`);
    for (const provider of stored) await store(tx, provider);
  });
}

const unknown = { languages: undefined, gender: 'unknown', age: 'unknown', accent: 'standard' };

function realtimeProvider({ code, name, realtime }: ModelConfig): StoredProvider[] {
  if (!realtime || realtime.voices.length === 0) return [];
  const voices = realtime.voices.map((voice) => ({ ...unknown, code: voice, name: voice }));
  return [{ kind: 'synthesizer', code, name, languages: undefined, voices, modes: ['multimodal'] }];
}

async function store(
  tx: Queries,
  { kind, code, name, languages, voices, modes }: StoredProvider,
): Promise<void> {
  const { rows } = await tx.execute<{ id: number }>(sql`INSERT INTO providers (id, kind, name, code)
    SELECT coalesce(max(id), 0) + 1, ${kind}, ${name}, ${code} FROM providers
    ON CONFLICT (kind, code) DO UPDATE SET name = excluded.name
    RETURNING id`);
  const id = sql`${rows[0]?.id ?? 0}::integer`;
  const served = (codes: readonly string[] | undefined) =>
    codes === undefined
      ? sql`true`
      : sql`iso_2 IN (SELECT jsonb_array_elements_text(${JSON.stringify(codes)}::jsonb))`;
  await tx.execute(sql`DELETE FROM provider_languages WHERE provider_id = ${id}
    AND language_id NOT IN (SELECT id FROM languages WHERE ${served(languages)})`);
  await tx.execute(sql`INSERT INTO provider_languages (provider_id, language_id)
    SELECT ${id}, id FROM languages WHERE ${served(languages)} ON CONFLICT DO NOTHING`);
  for (const voice of voices) {
    const properties = sql`${voice.name}, ${voice.gender}, ${voice.age}, ${voice.accent}`;
    await tx.execute(sql`INSERT INTO voices
      (id, language_id, synthesizer_provider_id, code, modes, name, gender, age, accent)
      SELECT (SELECT coalesce(max(id), 0) FROM voices) + row_number() OVER (ORDER BY id), id, ${id}, ${voice.code},
        ARRAY (SELECT jsonb_array_elements_text(${JSON.stringify(modes)}::jsonb)), ${properties}
      FROM languages WHERE ${served(voice.languages ?? languages)}
      ON CONFLICT (synthesizer_provider_id, code, language_id) DO UPDATE
      SET modes = excluded.modes, name = excluded.name, gender = excluded.gender, age = excluded.age,
        accent = excluded.accent`);
  }
}
