import type { UpdateAssistantRequest } from '../../contract/assistant.ts';
import type { assistants } from '../db/schema.ts';
import type { WireRow } from '../db/wire-columns.ts';

/** An assistant by the wire's names. */
export type AssistantRow = WireRow<typeof assistants>;

/** What a request gives of an assistant; creating gives what updating may, but for status and looks. */
export type GivenFields = Partial<UpdateAssistantRequest>;

/** Settings that mean something in one mode only, or something else in each. */
const ownSettings = {
  llm_model_id: null,
  multimodal_model_id: null,
  chat_llm_fallback_id: null,
  turn_detection_threshold: null,
  transcriber_provider_id: null,
  knowledgebase_mode: null,
  fillers: null,
  allow_interruptions: null,
} as const satisfies GivenFields;

/** What a request changes: what it gives, and with another mode that mode's own settings, back to their defaults. */
export function changesOf(before: AssistantRow | undefined, given: GivenFields): GivenFields {
  const changesMode = before !== undefined && given.mode !== undefined && given.mode !== before.mode;
  const changes = { ...(changesMode ? ownSettings : {}), ...given };
  const settings = changes.widget_settings;
  return {
    ...changes,
    ...(settings && { widget_settings: { ...before?.widget_settings, ...settings } }),
    ...(changes.filler_config && { filler_config: completeFillers(changes.filler_config) }),
  };
}

/** An assistant as it would be after the changes. */
export const afterChanges = (before: AssistantRow | undefined, changes: GivenFields) =>
  ({ ...before, ...changes }) as Partial<AssistantRow>;

const completeFillers = (given: NonNullable<GivenFields['filler_config']>) => ({
  neutral: [],
  negative: [],
  positive: [],
  question: [],
  ...given,
});
