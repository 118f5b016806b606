import { sql } from 'drizzle-orm';
import { assistants, languages } from '../db/schema.ts';
import { engineContextColumns } from './engine-context.ts';

const providerCode = (id: ReturnType<typeof sql>) =>
  sql<string | null>`(SELECT code FROM providers WHERE providers.id = ${id})`;

/** The assistant's settings of speech in calls. The query joins assistants with languages. */
export const voiceColumns = {
  mode: assistants.mode,
  model: engineContextColumns.model,
  language: languages.iso2,
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
