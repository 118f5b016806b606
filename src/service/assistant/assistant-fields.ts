import type { UpdateAssistantRequest } from '../../contract/assistant.ts';
import type { assistants } from '../db/schema.ts';
import type { WireRow } from '../db/wire-columns.ts';

/** An assistant with the field names of the interface. */
export type AssistantRow = WireRow<typeof assistants>;

/** The fields of a request that creates or updates an assistant. */
export type GivenFields = Partial<UpdateAssistantRequest>;

/** Settings that depend on the mode, with their defaults. */
const modeSettings = {
  llm_model_id: null,
  multimodal_model_id: null,
  chat_llm_fallback_id: null,
  turn_detection_threshold: null,
  transcriber_provider_id: null,
  knowledgebase_mode: null,
  fillers: null,
  allow_interruptions: null,
} as const satisfies GivenFields;

/** Returns the changes of a request. A change of mode also resets the settings that depend on it. */
export function resolveChanges(before: AssistantRow | undefined, given: GivenFields): GivenFields {
  const changesMode = before !== undefined && given.mode !== undefined && given.mode !== before.mode;
  const changes = { ...(changesMode ? modeSettings : {}), ...given };
  const settings = changes.widget_settings;
  return {
    ...changes,
    ...(settings && { widget_settings: withoutNulls({ ...before?.widget_settings, ...settings }) }),
    ...(changes.filler_config && { filler_config: completeFillers(changes.filler_config) }),
  };
}

const withoutNulls = (settings: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null));

/** Returns the assistant with the changes applied. */
export const applyChanges = (before: AssistantRow | undefined, changes: GivenFields) =>
  ({ ...before, ...changes }) as Partial<AssistantRow>;

const completeFillers = (given: NonNullable<GivenFields['filler_config']>) => ({
  neutral: [],
  negative: [],
  positive: [],
  question: [],
  ...given,
});
