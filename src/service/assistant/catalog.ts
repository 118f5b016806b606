import { and, asc, eq, exists, ilike, sql } from 'drizzle-orm';
import type * as z from 'zod/mini';
import type { VoicesQuery } from '../../contract/catalog.ts';
import { models, providerLanguages, providers, voices } from '../db/catalog-tables.ts';
import type { Database } from '../db/database.ts';
import { phoneNumbers } from '../db/phone-numbers-table.ts';
import { languages } from '../db/schema.ts';
import { typeLabel } from '../phone-number/type-label.ts';

/** Lists all languages (interface: "Language"). */
export const listLanguages = ({ db }: Database) =>
  db
    .select({ id: languages.id, name: languages.name, iso_2: languages.iso2 })
    .from(languages)
    .orderBy(asc(languages.id));

/** Lists the voices that match all given filters. */
export async function listVoices({ db }: Database, query: z.infer<typeof VoicesQuery>) {
  const { mode, language_id, synthesizer_provider_id, gender, age, accent, search } = query;
  const pattern = search === undefined ? undefined : `%${search.replace(/[\\%_]/g, '\\$&')}%`;
  return db
    .select({
      id: voices.id,
      name: voices.name,
      language_id: voices.languageId,
      gender: voices.gender,
      preview_url: voices.previewUrl,
      accent: voices.accent,
      age: voices.age,
      synthesizer_provider_id: voices.synthesizerProviderId,
    })
    .from(voices)
    .where(
      and(
        mode === undefined ? undefined : sql`${mode} = ANY (${voices.modes})`,
        language_id === undefined ? undefined : eq(voices.languageId, language_id),
        synthesizer_provider_id === undefined
          ? undefined
          : eq(voices.synthesizerProviderId, synthesizer_provider_id),
        gender === undefined ? undefined : eq(voices.gender, gender),
        age === undefined ? undefined : eq(voices.age, age),
        accent === undefined ? undefined : eq(voices.accent, accent),
        pattern === undefined ? undefined : ilike(voices.name, pattern),
      ),
    )
    .orderBy(asc(voices.id));
}

/** Lists the models of one type. Those of type `llm` have no code. */
export async function listModels({ db }: Database, type: 'llm' | 'multimodal' | 'dualplex') {
  const found = await db
    .select({ id: models.id, name: models.name, code: models.code })
    .from(models)
    .where(eq(models.type, type))
    .orderBy(asc(models.id));
  return type === 'llm' ? found.map(({ id, name }) => ({ id, name })) : found;
}

/** Lists the providers of one kind, optionally for one language. */
export const listProviders = (
  { db }: Database,
  kind: 'synthesizer' | 'transcriber',
  languageId: number | undefined,
) =>
  db
    .select({ id: providers.id, name: providers.name, code: providers.code })
    .from(providers)
    .where(
      and(
        eq(providers.kind, kind),
        languageId === undefined
          ? undefined
          : exists(
              db
                .select({ one: sql`1` })
                .from(providerLanguages)
                .where(
                  and(
                    eq(providerLanguages.providerId, providers.id),
                    eq(providerLanguages.languageId, languageId),
                  ),
                ),
            ),
      ),
    )
    .orderBy(asc(providers.id));

/** Qualified column names: Drizzle omits the table, so `id` would refer to the inner query. */
const isAvailable = sql<boolean>`phone_numbers.type <> 'caller_id' AND phone_numbers.release_at IS NULL
  AND NOT EXISTS (SELECT 1 FROM assistants WHERE assistants.phone_number_id = phone_numbers.id
    AND assistants.type = 'inbound' AND assistants.deleted_at IS NULL)`;

/**
 * Lists the user's numbers and whether a new inbound assistant can use them. For `inbound`, omits Caller IDs and
 * assigned numbers; for both types, numbers that are scheduled for release. (Interface: `GET /user/assistants/phone-numbers`.)
 */
export async function listAssignableNumbers(
  { db }: Database,
  userId: number,
  type: 'inbound' | 'outbound' | undefined,
) {
  const rows = await db
    .select({
      id: phoneNumbers.id,
      phone_number: phoneNumbers.phoneNumber,
      country_code: phoneNumbers.countryCode,
      type: phoneNumbers.type,
      releaseAt: phoneNumbers.releaseAt,
      is_available: isAvailable,
    })
    .from(phoneNumbers)
    .where(and(eq(phoneNumbers.userId, userId), eq(phoneNumbers.isPending, false)))
    .orderBy(asc(phoneNumbers.id));
  return rows
    .filter(({ is_available, releaseAt }) =>
      type === 'inbound' ? is_available : type === undefined || releaseAt === null,
    )
    .map(({ id, phone_number, country_code, type, is_available }) => ({
      id,
      phone_number,
      country_code,
      type_label: typeLabel(type),
      is_available,
    }));
}
