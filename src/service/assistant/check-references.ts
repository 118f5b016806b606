import { sql } from 'drizzle-orm';
import type { RuleViolations } from '../../contract/assistant.ts';
import type { Queries } from '../db/database.ts';
import type { AssistantRow, GivenFields } from './assistant-fields.ts';

/** The records that an assistant refers to; null if one does not exist. */
interface Found extends Record<string, unknown> {
  voice_modes: string[] | null;
  language: boolean;
  languages: number;
  llm: boolean;
  multimodal_type: string | null;
  fallback: boolean;
  knowledgebase: boolean;
  tools: number;
  number_type: string | null;
  number_taken: boolean;
  /** Whether the number is scheduled for release, unless this assistant already has it and may keep it until then. */
  number_releasing: boolean;
  synthesizer: boolean;
  transcriber: boolean;
}

const invalid = 'selected is invalid.';

/**
 * Checks that the records an assistant refers to exist, belong to its owner, and are compatible (interface: the rules
 * of `POST /user/assistant`). Another user's record counts as missing.
 *
 * @param after the assistant with the changes applied, as far as its fields are valid.
 * @param changes the changed fields; only these are checked.
 */
export async function checkReferences(
  queries: Queries,
  userId: number,
  after: Partial<AssistantRow>,
  changes: GivenFields,
): Promise<RuleViolations> {
  const found = await find(queries, userId, after);
  const isGiven = (field: keyof GivenFields) => changes[field] !== undefined && changes[field] !== null;
  const changesMode = changes.mode !== undefined;
  const violations: RuleViolations = {};
  const check = (field: keyof GivenFields, problem: string | false) => {
    if (problem !== false) violations[field] = problem;
  };
  if (isGiven('voice_id') || changesMode) check('voice_id', voiceProblem(found, after));
  if (isGiven('language_id')) check('language_id', !found.language && invalid);
  if (isGiven('secondary_language_ids')) {
    check('secondary_language_ids', found.languages < countDistinct(after.secondary_language_ids) && invalid);
  }
  if (isGiven('llm_model_id')) check('llm_model_id', !found.llm && invalid);
  if (isGiven('multimodal_model_id')) {
    const fits =
      after.mode === 'pipeline' || after.mode === undefined || found.multimodal_type === after.mode;
    check('multimodal_model_id', (found.multimodal_type === null || !fits) && invalid);
  }
  if (isGiven('chat_llm_fallback_id')) check('chat_llm_fallback_id', !found.fallback && invalid);
  if (isGiven('knowledgebase_id')) check('knowledgebase_id', !found.knowledgebase && invalid);
  if (isGiven('tool_ids')) check('tool_ids', found.tools < countDistinct(after.tool_ids) && invalid);
  if (isGiven('phone_number_id') || changes.type !== undefined) {
    check('phone_number_id', numberProblem(found, after));
  }
  if (isGiven('synthesizer_provider_id')) check('synthesizer_provider_id', !found.synthesizer && invalid);
  if (isGiven('transcriber_provider_id')) check('transcriber_provider_id', !found.transcriber && invalid);
  return violations;
}

const countDistinct = (ids: readonly number[] | undefined) => new Set(ids).size;

function voiceProblem({ voice_modes: modes }: Found, { voice_id, mode }: Partial<AssistantRow>) {
  if (voice_id === undefined) return false;
  if (modes === null) return invalid;
  return (
    mode !== undefined && !modes.includes(mode) && `must be a voice that is compatible with mode ${mode}.`
  );
}

function numberProblem(found: Found, { phone_number_id: id, type }: Partial<AssistantRow>) {
  if (id === undefined || id === null) return false;
  if (found.number_type === null) return invalid;
  if (found.number_releasing) return 'must not be a phone number that is scheduled for release.';
  if (type !== 'inbound') return false;
  if (found.number_type === 'caller_id') return 'must not be a Caller ID number for an inbound assistant.';
  return found.number_taken && 'must not be assigned to another inbound assistant.';
}

async function find(queries: Queries, userId: number, after: Partial<AssistantRow>): Promise<Found> {
  const id = (value: number | null | undefined) => sql`${value ?? 0}::integer`;
  const list = (values: readonly number[] | undefined) =>
    sql`(SELECT value::integer FROM jsonb_array_elements_text(${JSON.stringify(values ?? [])}::jsonb))`;
  const provider = (kind: string, value: number | null | undefined) => sql`EXISTS (
    SELECT 1 FROM providers JOIN provider_languages ON provider_id = providers.id
    WHERE kind = ${kind} AND providers.id = ${id(value)}
      AND (${after.language_id === undefined} OR language_id = ${id(after.language_id)}))`;
  const { rows } = await queries.execute<Found>(sql`
    SELECT
      (SELECT array_to_json(modes) FROM voices WHERE id = ${id(after.voice_id)}) AS voice_modes,
      EXISTS (SELECT 1 FROM languages WHERE id = ${id(after.language_id)}) AS language,
      (SELECT count(*)::integer FROM languages WHERE id IN ${list(after.secondary_language_ids)}) AS languages,
      EXISTS (SELECT 1 FROM models WHERE id = ${id(after.llm_model_id)} AND type = 'llm') AS llm,
      (SELECT type FROM models WHERE id = ${id(after.multimodal_model_id)} AND type <> 'llm') AS multimodal_type,
      EXISTS (SELECT 1 FROM models WHERE id = ${id(after.chat_llm_fallback_id)} AND type = 'llm') AS fallback,
      EXISTS (SELECT 1 FROM knowledgebases WHERE id = ${id(after.knowledgebase_id)} AND user_id = ${userId})
        AS knowledgebase,
      (SELECT count(*)::integer FROM tools WHERE id IN ${list(after.tool_ids)} AND user_id = ${userId}) AS tools,
      (SELECT type FROM phone_numbers WHERE id = ${id(after.phone_number_id)} AND user_id = ${userId}
        AND NOT is_pending) AS number_type,
      EXISTS (SELECT 1 FROM assistants WHERE phone_number_id = ${id(after.phone_number_id)} AND type = 'inbound'
        AND deleted_at IS NULL AND id <> ${id(after.id)}) AS number_taken,
      EXISTS (SELECT 1 FROM phone_numbers WHERE id = ${id(after.phone_number_id)} AND release_at IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM assistants WHERE id = ${id(after.id)} AND phone_number_id = phone_numbers.id))
        AS number_releasing,
      ${provider('synthesizer', after.synthesizer_provider_id)} AS synthesizer,
      ${provider('transcriber', after.transcriber_provider_id)} AS transcriber`);
  const [found] = rows;
  if (!found) throw new Error('A query without conditions found nothing.');
  return found;
}
