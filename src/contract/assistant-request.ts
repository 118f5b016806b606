import * as z from 'zod/mini';
import {
  boundedText,
  decimal,
  filledText,
  flag,
  id,
  ids,
  integer,
  needsNumber,
  nullish,
  pageQuery,
  patternText,
  text,
  timeZone,
  variablesField,
  webAddress,
} from './fields.ts';
import { recordLimits } from './limits.ts';

/*
 * Requests of the assistants' operations (interface: "Assistants"). What one field says about another stands in
 * `assistant-rules.ts`; what the database says about one, in the service.
 */

const { listed, name, assistant: limit } = recordLimits;

/** What an assistant must have. */
const requiredFields = {
  name: filledText(name),
  voice_id: id(),
  language_id: id(),
  type: z.enum(['inbound', 'outbound']),
  mode: z.enum(['pipeline', 'multimodal', 'dualplex']),
  timezone: timeZone(),
  initial_message: filledText(limit.initialMessage),
  system_prompt: filledText(limit.systemPrompt),
};

const list = <Item extends z.ZodMiniType>(item: Item) => z.array(item).check(z.maxLength(listed));

const fillers = () => z.optional(list(text(limit.filler)));

/** What it may have; absent, the defaults of the interface hold. */
const optionalFields = {
  llm_model_id: id(),
  multimodal_model_id: id(),
  chat_llm_fallback_id: id(),
  turn_detection_threshold: decimal(limit.share),
  secondary_language_ids: ids(),
  knowledgebase_id: id(),
  knowledgebase_mode: z.enum(['function_call', 'prompt']),
  phone_number_id: id(),
  tool_ids: ids(),
  tools: list(
    z
      .object({
        type: z.enum(['call_transfer', 'dtmf_input', 'end_call']),
        description: filledText(limit.toolDescription),
        phone_number: z.nullish(text(name)),
      })
      .check(needsNumber('call_transfer')),
  ),
  tts_emotion_enabled: flag(),
  voice_stability: decimal(limit.share),
  voice_similarity: decimal(limit.share),
  speech_speed: decimal(limit.speechSpeed),
  llm_temperature: decimal(limit.share),
  synthesizer_provider_id: id(),
  transcriber_provider_id: id(),
  allow_interruptions: flag(),
  fillers: flag(),
  filler_config: z.object({
    neutral: fillers(),
    negative: fillers(),
    positive: fillers(),
    question: fillers(),
  }),
  record: flag(),
  enable_noise_cancellation: flag(),
  wait_for_customer: flag(),
  max_duration: integer(limit.maxDuration),
  max_silence_duration: integer(limit.maxSilence),
  max_initial_silence_duration: integer(limit.maxInitialSilence),
  ringing_time: integer(limit.ringingTime),
  reengagement_interval: integer(limit.reengagementInterval),
  reengagement_prompt: text(limit.prompt),
  end_call_on_voicemail: flag(),
  voice_mail_message: text(limit.prompt),
  endpoint_type: z.enum(['vad', 'ai']),
  endpoint_sensitivity: decimal(limit.sensitivity),
  interrupt_sensitivity: decimal(limit.sensitivity),
  min_interrupt_words: integer(limit.interruptWords),
  ambient_sound: z.enum(['off', 'office', 'city', 'forest', 'crowded_room', 'cafe', 'nature']),
  ambient_sound_volume: decimal(limit.share),
  is_webhook_active: flag(),
  webhook_url: webAddress(),
  send_webhook_only_on_completed: flag(),
  include_recording_in_webhook: flag(),
  post_call_evaluation: flag(),
  post_call_schema: list(
    z.object({
      name: patternText(
        new RegExp(`^[a-z0-9_]{${limit.schemaName.min},${limit.schemaName.max}}$`),
        `must be ${limit.schemaName.min} to ${limit.schemaName.max} lowercase letters, digits or underscores.`,
      ),
      type: z.enum(['string', 'number', 'bool']),
      description: boundedText(limit.schemaDescription),
    }),
  ),
  variables: variablesField(),
  conversation_inactivity_timeout: integer(limit.inactivityTimeout),
  conversation_ended_retrigger: flag(),
  conversation_ended_webhook_url: webAddress(),
};

/** Body of `POST /user/assistant`. `null` stands for an absent optional field. */
export const CreateAssistantRequest = z.object({ ...requiredFields, ...nullish(optionalFields) });
export type CreateAssistantRequest = z.infer<typeof CreateAssistantRequest>;

/** Body of `PUT /user/assistant/{id}`: what is given changes, and `null` puts an optional field back to its default. */
export const UpdateAssistantRequest = z.object({
  ...z.partial(z.object(requiredFields)).shape,
  ...nullish({
    ...optionalFields,
    /** `hybrid` cannot be chosen; an assistant that has it keeps it when its record is sent back. */
    knowledgebase_mode: z.enum([...optionalFields.knowledgebase_mode.options, 'hybrid']),
    widget_settings: z.object({
      theme: z.optional(z.enum(['light', 'dark', 'auto', 'system'])),
      color: z.optional(filledText(limit.filler)),
      position: z.optional(
        patternText(
          /^((left|right)(-(top|bottom))?|(top|bottom)-(left|right))$/,
          'must be left or right, or a corner such as right-bottom.',
        ),
      ),
    }),
  }),
  status: z.optional(z.enum(['active', 'inactive'])),
});
export type UpdateAssistantRequest = z.infer<typeof UpdateAssistantRequest>;

/** Body of the operations that turn a webhook on. */
export const WebhookRequest = z.object({ assistant_id: id(), webhook_url: webAddress() });

/** Body of those that turn one off. */
export const AssistantIdRequest = z.object({ assistant_id: id() });

/** Query of `GET /user/assistants/get`. */
export const AssistantsQuery = z.object(pageQuery);

/** Query of `GET /user/assistants/voices`. */
export const VoicesQuery = z.object({
  mode: z.optional(requiredFields.mode),
  language_id: z.optional(id()),
  synthesizer_provider_id: z.optional(id()),
  gender: z.optional(text(name)),
  age: z.optional(text(name)),
  accent: z.optional(text(name)),
  search: z.optional(text(name)),
});

/** Query of `GET /user/assistants/models`. */
export const ModelsQuery = z.object({ type: z.optional(z.enum(['llm', 'multimodal', 'dualplex'])) });

/** Query of the two lists of providers. */
export const ProvidersQuery = z.object({ language_id: z.optional(id()) });

/** Query of `GET /user/assistants/phone-numbers`. */
export const AssignableNumbersQuery = z.object({ type: z.optional(requiredFields.type) });
