import * as z from 'zod/mini';
import { decimalString, Message, messageWith, paginated, timestamp } from './answer-fields.ts';
import { recordLimits } from './limits.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import {
  boundedText,
  decimal,
  nonBlankText,
  flag,
  id,
  ids,
  integer,
  list,
  requirePhoneNumber,
  nullish,
  objectOf,
  pageQuery,
  patternText,
  text,
  timeZone,
  variablesField,
  httpUrl,
  originPattern,
} from './request-fields.ts';
import * as widget from './widget-settings.ts';

/* Assistants (interface: "Assistants"): records, requests, rules between fields, endpoints. */

const optionalId = z.nullable(z.int());
/** 0 or 1. */
const bit = z.int();
const variables = z.record(z.string(), z.unknown());
const named = z.looseObject({ name: z.string(), type: z.string(), description: z.string() });

/** The fields that both lists of assistants include. */
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

/** An assistant in the list of outbound assistants. */
export const ReducedAssistant = z.looseObject(reducedFields);

/** Response of `GET /user/assistants/outbound`. */
export const ReducedAssistants = z.array(ReducedAssistant);

/** A full assistant record (interface: "Assistant"), plus the fields of creation that the interface omits from it. */
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
      /** Destination of `call_transfer`. */
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
  min_interrupt_words: z.int(),
  ambient_sound: z.string(),
  knowledgebase_id: optionalId,
  knowledgebase_mode: z.string(),
  /** A setting without a value is absent. */
  widget_settings: z.looseObject({
    theme: z.optional(z.string()),
    color: z.optional(z.string()),
    position: z.optional(z.string()),
  }),
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
  /** Our additions: limits of messages, and the origins of pages that may use the assistant. */
  max_conversation_messages: z.int(),
  max_visitor_messages_per_day: z.int(),
  max_messages_per_day: z.int(),
  max_test_messages_per_day: z.int(),
  proof_of_work: z.boolean(),
  web_calls: z.boolean(),
  max_concurrent_web_calls: z.nullable(z.int()),
  max_visitor_web_call_minutes_per_day: z.nullable(z.int()),
  max_web_call_minutes_per_day: z.nullable(z.int()),
  allowed_origins: z.array(z.string()),
  usage_webhook_url: z.nullable(z.string()),
  handoff_webhook_url: z.nullable(z.string()),
  /** The assistant's disabled webhook addresses: all deliveries to them failed. */
  disabled_webhook_urls: z.array(z.string()),
  private_variables: z.array(z.string()),
  conversation_ended_retrigger: z.boolean(),
  user_token_required: z.boolean(),
  conversation_ended_webhook_url: z.nullable(z.string()),
});
export type Assistant = z.infer<typeof Assistant>;

/** Response of `GET /user/assistants/get`. */
export const Assistants = paginated(Assistant);

/** Response of creating and updating an assistant. */
export const SavedAssistant = messageWith(
  z.looseObject({
    id: z.int(),
    /** Identifies the assistant in conversations and the widget. Our addition. */
    uuid: z.string(),
    name: z.string(),
    status: z.string(),
    type: z.string(),
    mode: z.string(),
  }),
);

/** Response of the operations that turn webhooks on and off. */
export const WebhookChanged = messageWith(z.array(z.unknown()).check(z.maxLength(0)));

const { name, assistant: limit } = recordLimits;

/** Required fields of an assistant. */
const requiredFields = {
  name: nonBlankText(name),
  voice_id: id(),
  language_id: id(),
  type: z.enum(['inbound', 'outbound']),
  mode: z.enum(['pipeline', 'multimodal', 'dualplex']),
  timezone: timeZone(),
  initial_message: nonBlankText(limit.initialMessage),
  system_prompt: nonBlankText(limit.systemPrompt),
};

const fillers = () => z.optional(list(text(limit.filler)));

/** Optional fields of an assistant. The interface's defaults apply if they are absent. */
const optionalFields = {
  llm_model_id: id(),
  multimodal_model_id: id(),
  chat_llm_fallback_id: id(),
  turn_detection_threshold: decimal(limit.fraction),
  secondary_language_ids: ids(),
  knowledgebase_id: id(),
  knowledgebase_mode: z.enum(['function_call', 'prompt']),
  phone_number_id: id(),
  tool_ids: ids(),
  tools: list(
    z
      .object({
        type: z.enum(['call_transfer', 'dtmf_input', 'end_call']),
        description: nonBlankText(limit.toolDescription),
        phone_number: z.nullish(text(name)),
      })
      .check(requirePhoneNumber('call_transfer')),
  ),
  tts_emotion_enabled: flag(),
  voice_stability: decimal(limit.fraction),
  voice_similarity: decimal(limit.fraction),
  speech_speed: decimal(limit.speechSpeed),
  llm_temperature: decimal(limit.fraction),
  synthesizer_provider_id: id(),
  transcriber_provider_id: id(),
  allow_interruptions: flag(),
  fillers: flag(),
  filler_config: objectOf(
    z.object({
      neutral: fillers(),
      negative: fillers(),
      positive: fillers(),
      question: fillers(),
    }),
  ),
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
  ambient_sound_volume: decimal(limit.fraction),
  is_webhook_active: flag(),
  webhook_url: httpUrl(),
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
  /** Visitors' messages in one conversation, which then ends. */
  max_conversation_messages: integer(limit.conversationMessages),
  /** Messages from one visitor's block of addresses a day, in UTC. */
  max_visitor_messages_per_day: integer(limit.messagesPerDay),
  /** Messages of all visitors a day. */
  max_messages_per_day: integer(limit.messagesPerDay),
  /** Messages a day in `test` conversations without a preview token. */
  max_test_messages_per_day: integer(limit.messagesPerDay),
  /** Whether a visitor who has used half of the daily limit has to prove work for each further message. */
  proof_of_work: flag(),
  /** Whether visitors of pages may call the assistant. */
  web_calls: flag(),
  /** Web calls at the same time. Like the next two limits, it can only lower that of the operator. */
  max_concurrent_web_calls: integer(limit.concurrentWebCalls),
  /** Started minutes of web calls a day, in UTC, from one visitor's block of addresses with the owner's assistants. */
  max_visitor_web_call_minutes_per_day: integer(limit.webCallMinutesPerDay),
  /** Started minutes of web calls of all visitors a day. */
  max_web_call_minutes_per_day: integer(limit.webCallMinutesPerDay),
  /** Origins of pages, such as `https://shop.example` or `https://*.shop.example`. Empty allows any. */
  allowed_origins: list(originPattern()),
  /** Called when 80 % of a daily limit are used, and when all of it is. */
  usage_webhook_url: httpUrl(),
  /** Called when a visitor asks for a person, or writes after a person has taken over. */
  handoff_webhook_url: httpUrl(),
  /** Names of variables that pages and visitors can neither set nor read. */
  private_variables: list(text(recordLimits.variables.nameCharacters), recordLimits.variables.count),
  conversation_ended_retrigger: flag(),
  /** Our addition: whether conversations need a user token. */
  user_token_required: flag(),
  conversation_ended_webhook_url: httpUrl(),
};

/** Body of `POST /user/assistant`. An optional field may be `null` instead of absent. */
export const CreateAssistantRequest = z.object({ ...requiredFields, ...nullish(optionalFields) });
export type CreateAssistantRequest = z.infer<typeof CreateAssistantRequest>;

/** Body of `PUT /user/assistant/{id}`: only the given fields change; `null` resets an optional field to its default. */
export const UpdateAssistantRequest = z.object({
  ...z.partial(z.object(requiredFields)).shape,
  ...nullish({
    ...optionalFields,
    /** Accepted only for an assistant that already has `hybrid`, so that its record can be sent back. */
    knowledgebase_mode: z.enum([...optionalFields.knowledgebase_mode.options, 'hybrid']),
    /** A setting that is `null` is removed. */
    widget_settings: objectOf(
      z.object(
        nullish({
          theme: z.enum(['light', 'dark', 'auto', 'system']),
          color: nonBlankText(limit.filler),
          position: patternText(
            /^((left|right)(-(top|bottom))?|(top|bottom)-(left|right))$/,
            'must be left or right, or a corner such as right-bottom.',
          ),
        }),
      ),
    ),
  }),
  status: z.optional(z.enum(['active', 'inactive'])),
});
export type UpdateAssistantRequest = z.infer<typeof UpdateAssistantRequest>;

/** Body of the operations that turn a webhook on. */
export const WebhookRequest = z.object({ assistant_id: id(), webhook_url: httpUrl() });

/** Body of the operations that turn a webhook off. */
export const AssistantIdRequest = z.object({ assistant_id: id() });

/** Query of `GET /user/assistants/get`. */
export const AssistantsQuery = z.object(pageQuery);

/** Error messages by field, without their beginning: "The <name> field". */
export type RuleViolations = Partial<Record<string, string>>;

/** The fields that depend on each other, as far as they are known. */
export interface DependentFields {
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

/** Checks the rules between an assistant's fields (interface: the table of `POST /user/assistant`). */
export function findRuleViolations(fields: DependentFields): RuleViolations {
  const { mode } = fields;
  const violations: RuleViolations = {};
  if (mode === 'pipeline') {
    if (isMissing(fields.llm_model_id)) violations['llm_model_id'] = 'is required when mode is pipeline.';
    if (!isMissing(fields.turn_detection_threshold)) {
      violations['turn_detection_threshold'] = 'is only available when mode is multimodal or dualplex.';
    }
  } else if (mode !== undefined) {
    if (isMissing(fields.multimodal_model_id)) {
      violations['multimodal_model_id'] = `is required when mode is ${mode}.`;
    }
    const pipelineOnly = 'is only available when mode is pipeline.';
    if (!isMissing(fields.transcriber_provider_id)) violations['transcriber_provider_id'] = pipelineOnly;
    if (fields.fillers === true) violations['fillers'] = pipelineOnly;
    if (fields.allow_interruptions === false) {
      violations['allow_interruptions'] = `cannot be disabled when mode is ${mode}.`;
    }
    if (fields.knowledgebase_mode === 'prompt') {
      violations['knowledgebase_mode'] = `must be function_call when mode is ${mode}.`;
    }
  }
  if (fields.is_webhook_active === true && isMissing(fields.webhook_url)) {
    violations['webhook_url'] = 'is required when is webhook active is true.';
  }
  return violations;
}

export const createAssistant = ownerEndpoint({
  summary: 'Creates an inactive assistant.',
  method: 'POST',
  path: '/api/user/assistant',
  scope: 'write',
  changes: 'assistant',
  request: CreateAssistantRequest,
  response: SavedAssistant,
  success: 201,
});

export const updateAssistant = ownerEndpoint({
  summary: 'Changes the given fields of an assistant.',
  method: 'PUT',
  path: '/api/user/assistant/:id',
  scope: 'write',
  changes: 'assistant',
  request: UpdateAssistantRequest,
  response: SavedAssistant,
});

export const deleteAssistant = ownerEndpoint({
  summary: 'Deletes an assistant. Its calls and conversations are kept.',
  method: 'DELETE',
  path: '/api/user/assistant/:id',
  scope: 'write',
  changes: 'assistant',
  response: Message,
});

export const listAssistants = ownerEndpoint({
  summary: 'Lists the assistants with all fields, newest first, in pages.',
  method: 'GET',
  path: '/api/user/assistants/get',
  scope: 'read',
  query: AssistantsQuery,
  response: Assistants,
});

export const listAllAssistants = ownerEndpoint({
  summary: 'Lists all assistants with all fields, newest first, without pagination. Our addition.',
  method: 'GET',
  path: '/api/user/assistants',
  scope: 'read',
  response: z.array(Assistant),
});

export const listOutboundAssistants = ownerEndpoint({
  summary: 'Lists the outbound assistants of all modes, with fewer fields.',
  method: 'GET',
  path: '/api/user/assistants/outbound',
  scope: 'read',
  response: ReducedAssistants,
});

/** Response of `GET /assistants/{uuid}/widget`, exactly as our service writes it. */
export const PublicAssistant = z.looseObject({
  status: z.literal(true),
  data: z.looseObject({
    name: z.string(),
    /** Two-letter code (ISO 639-1). */
    language: z.string(),
    widget_settings: z.looseObject({
      theme: z.optional(z.string()),
      color: z.optional(z.string()),
      position: z.optional(z.string()),
    }),
    /** Whether the assistant can be called. */
    web_calls: z.boolean(),
  }),
});

export const readAssistantWidget = {
  ...widget.readAssistantWidget,
  summary: 'Returns the public settings of an assistant for the widget on a page. Cacheable. Our addition.',
  auth: 'none',
  headers: ['If-None-Match'],
  response: PublicAssistant,
  statuses: [200, 304, 404, 429],
} as const;

const enableWebhook = <const Path extends `/api/user/${string}`>(summary: string, path: Path) =>
  ownerEndpoint({
    summary,
    method: 'POST',
    path,
    scope: 'write',
    changes: 'assistant',
    request: WebhookRequest,
    response: WebhookChanged,
    refusals: [404],
  });

const disableWebhookAt = <const Path extends `/api/user/${string}`>(summary: string, path: Path) =>
  ownerEndpoint({
    summary,
    method: 'POST',
    path,
    scope: 'write',
    changes: 'assistant',
    request: AssistantIdRequest,
    response: WebhookChanged,
    refusals: [404],
  });

export const enableInboundWebhook = enableWebhook(
  'Sets the URL for webhooks about inbound calls.',
  '/api/user/assistants/enable-inbound-webhook',
);

export const disableInboundWebhook = disableWebhookAt(
  'Turns off webhooks about inbound calls.',
  '/api/user/assistants/disable-inbound-webhook',
);

export const disableWebhook = disableWebhookAt(
  'Turns off webhooks after calls.',
  '/api/user/assistants/disable-webhook',
);

export const enableConversationEndedWebhook = enableWebhook(
  'Sets the URL for webhooks after conversations.',
  '/api/user/assistants/enable-conversation-ended-webhook',
);

export const disableConversationEndedWebhook = disableWebhookAt(
  'Turns off webhooks after conversations.',
  '/api/user/assistants/disable-conversation-ended-webhook',
);
