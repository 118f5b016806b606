import * as z from 'zod/mini';
import { decimalString, messageWith, timestamp } from './record-answers.ts';
import { paginated } from './pagination.ts';

const optionalId = z.nullable(z.int());
/** 0 or 1. */
const bit = z.int();
const variables = z.record(z.string(), z.unknown());
const named = z.looseObject({ name: z.string(), type: z.string(), description: z.string() });

/** What both lists of assistants tell of one. */
const reducedFields = {
  id: z.int(),
  user_id: z.int(),
  name: z.string(),
  type: z.string(),
  mode: z.string(),
  status: z.string(),
  voice_id: z.int(),
  language_id: z.int(),
  timezone: z.string(),
  initial_message: z.string(),
  system_prompt: z.string(),
  variables,
  webhook_url: z.nullable(z.string()),
  is_webhook_active: z.boolean(),
  created_at: timestamp,
  updated_at: timestamp,
};

/** An assistant in the list of outbound ones. */
export const ReducedAssistant = z.looseObject(reducedFields);

/** Answer of `GET /user/assistants/outbound`. */
export const ReducedAssistants = z.array(ReducedAssistant);

/** An assistant with everything (interface: "Assistant"), and the fields of creation that are missing there. */
export const Assistant = z.looseObject({
  ...reducedFields,
  uuid: z.string(),
  phone_number_id: optionalId,
  engine_id: optionalId,
  synthesizer_id: optionalId,
  transcriber_id: optionalId,
  instance_id: optionalId,
  flows_platform_id: optionalId,
  language: z.null(),
  llm_model_id: optionalId,
  multimodal_model_id: optionalId,
  transcriber_provider_id: optionalId,
  synthesizer_provider_id: optionalId,
  post_call_evaluation: z.boolean(),
  post_call_schema: z.array(named),
  tools: z.array(
    z.looseObject({
      type: z.string(),
      description: z.string(),
      /** Where `call_transfer` transfers to. */
      phone_number: z.nullish(z.string()),
    }),
  ),
  fillers: bit,
  filler_config: z.looseObject({
    neutral: z.array(z.string()),
    negative: z.array(z.string()),
    positive: z.array(z.string()),
    question: z.array(z.string()),
  }),
  inbound_webhook_url: z.nullable(z.string()),
  send_webhook_only_on_completed: z.boolean(),
  include_recording_in_webhook: z.boolean(),
  max_duration: z.int(),
  max_silence_duration: z.int(),
  reengagement_interval: z.int(),
  record: z.boolean(),
  end_call_on_voicemail: bit,
  llm_temperature: decimalString,
  voice_stability: decimalString,
  voice_similarity: decimalString,
  speech_speed: decimalString,
  ambient_sound_volume: decimalString,
  allow_interruptions: z.boolean(),
  enable_noise_cancellation: z.boolean(),
  wait_for_customer: z.boolean(),
  endpoint_type: z.string(),
  endpoint_sensitivity: z.number(),
  interrupt_sensitivity: z.number(),
  min_interrupt_words: optionalId,
  ambient_sound: z.string(),
  knowledgebase_id: optionalId,
  knowledgebase_mode: z.nullable(z.string()),
  widget_settings: z.looseObject({}),
  deleted_at: z.nullable(timestamp),
  secondary_language_ids: z.array(z.int()),
  chat_llm_fallback_id: optionalId,
  turn_detection_threshold: z.nullable(z.number()),
  tool_ids: z.array(z.int()),
  tts_emotion_enabled: z.boolean(),
  max_initial_silence_duration: optionalId,
  ringing_time: z.int(),
  reengagement_prompt: z.nullable(z.string()),
  voice_mail_message: z.nullable(z.string()),
  conversation_inactivity_timeout: z.int(),
  conversation_ended_retrigger: z.boolean(),
  conversation_ended_webhook_url: z.nullable(z.string()),
});
export type Assistant = z.infer<typeof Assistant>;

/** Answer of `GET /user/assistants/get`. */
export const Assistants = paginated(Assistant);

/** Answer of creating and updating an assistant. */
export const SavedAssistant = messageWith(
  z.looseObject({ id: z.int(), name: z.string(), status: z.string(), type: z.string(), mode: z.string() }),
);

/** Answer of the operations that turn webhooks on and off. */
export const WebhookChanged = messageWith(z.array(z.unknown()).check(z.maxLength(0)));

/** Answer of `GET /user/assistants/languages`. */
export const Languages = z.array(
  z.looseObject({ id: z.int(), name: z.string(), iso_2: z.string().check(z.length(2)) }),
);

/** Answer of `GET /user/assistants/voices`. */
export const Voices = z.array(
  z.looseObject({
    id: z.int(),
    name: z.string(),
    language_id: z.int(),
    gender: z.string(),
    /** Null where there is nothing to listen to. */
    preview_url: z.nullable(z.string()),
    accent: z.string(),
    age: z.string(),
    synthesizer_provider_id: z.int(),
  }),
);

/** Answer of `GET /user/assistants/models`. */
export const Models = z.array(
  z.looseObject({
    id: z.int(),
    name: z.string(),
    /** Absent from models of the type `llm`. */
    code: z.optional(z.string()),
  }),
);

/** Answer of the two lists of providers. */
export const Providers = z.array(z.looseObject({ id: z.int(), name: z.string(), code: z.string() }));

/** Answer of `GET /user/assistants/phone-numbers`. */
export const AssignableNumbers = z.array(
  z.looseObject({
    id: z.int(),
    phone_number: z.string(),
    country_code: z.string(),
    type_label: z.string(),
    /** Whether it can be given to a new inbound assistant. */
    is_available: z.boolean(),
  }),
);
