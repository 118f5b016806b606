/** What is wrong, by field: ends of sentences that begin with "The <name> field". */
export type BrokenRules = Partial<Record<string, string>>;

/** The fields that rules look at, as far as they are known. */
export interface RuledFields {
  mode?: string | undefined;
  llm_model_id?: number | null | undefined;
  multimodal_model_id?: number | null | undefined;
  turn_detection_threshold?: number | string | null | undefined;
  knowledgebase_mode?: string | null | undefined;
  transcriber_provider_id?: number | null | undefined;
  allow_interruptions?: boolean | null | undefined;
  fillers?: boolean | null | undefined;
  is_webhook_active?: boolean | null | undefined;
  webhook_url?: string | null | undefined;
}

const isMissing = (value: unknown) => value === undefined || value === null;

/** What the fields of an assistant say about each other (interface: the table of `POST /user/assistant`). */
export function brokenAssistantRules(fields: RuledFields): BrokenRules {
  const { mode } = fields;
  const broken: BrokenRules = {};
  if (mode === 'pipeline') {
    if (isMissing(fields.llm_model_id)) broken['llm_model_id'] = 'is required when mode is pipeline.';
    if (!isMissing(fields.turn_detection_threshold)) {
      broken['turn_detection_threshold'] = 'is only available when mode is multimodal or dualplex.';
    }
  } else if (mode !== undefined) {
    if (isMissing(fields.multimodal_model_id)) {
      broken['multimodal_model_id'] = `is required when mode is ${mode}.`;
    }
    const pipelineOnly = 'is only available when mode is pipeline.';
    if (!isMissing(fields.transcriber_provider_id)) broken['transcriber_provider_id'] = pipelineOnly;
    if (fields.fillers === true) broken['fillers'] = pipelineOnly;
    if (fields.allow_interruptions === false) {
      broken['allow_interruptions'] = `cannot be disabled when mode is ${mode}.`;
    }
    if (fields.knowledgebase_mode === 'prompt') {
      broken['knowledgebase_mode'] = `must be function_call when mode is ${mode}.`;
    }
  }
  if (fields.is_webhook_active === true && isMissing(fields.webhook_url)) {
    broken['webhook_url'] = 'is required when is webhook active is true.';
  }
  return broken;
}
