import { sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/pg-core';
import { assistants, languages } from '../db/schema.ts';
import { engineContextColumns } from './engine-context.ts';

const providerCode = (id: ReturnType<typeof sql>) =>
  sql<string | null>`(SELECT code FROM providers WHERE providers.id = ${id})`;

const others = alias(languages, 'others');

/** The assistant's settings of speech in calls. The query joins assistants with languages. */
export const voiceColumns = {
  mode: assistants.mode,
  model: engineContextColumns.model,
  language: languages.iso2,
  /** Codes of the other languages that customers may speak. */
  otherLanguages: sql<
    string[]
  >`(SELECT coalesce(json_agg(${others.iso2} ORDER BY ${others.id}), '[]') FROM ${languages} AS ${others}
    WHERE ${others.id} = ANY (${assistants.secondaryLanguageIds}) AND ${others.iso2} <> ${languages.iso2})`,
  voice: sql<{
    provider: string;
    name: string;
    gender: string;
    accent: string;
  }>`(SELECT json_build_object('provider', providers.code,
      'name', coalesce(voices.code, voices.name), 'gender', voices.gender, 'accent', voices.accent)
    FROM voices JOIN providers ON providers.id = voices.synthesizer_provider_id
    WHERE voices.id = ${assistants.voiceId})`,
  synthesizer: providerCode(sql`${assistants.synthesizerProviderId}`),
  transcriber: providerCode(sql`${assistants.transcriberProviderId}`),
};
