import { boolean, integer, jsonb, numeric, pgTable, text, uuid } from 'drizzle-orm/pg-core';
import { timestamptz } from './columns.ts';

/** A fraction; a string, so that it keeps its digits. */
const fraction = <Name extends string>(name: Name) => numeric(name).notNull().default('0');
const flag = <Name extends string>(name: Name, defaultValue: boolean) =>
  boolean(name).notNull().default(defaultValue);
const count = <Name extends string>(name: Name, defaultValue: number) =>
  integer(name).notNull().default(defaultValue);

/** A built-in tool of an assistant. */
export interface StoredBuiltInTool {
  type: 'call_transfer' | 'dtmf_input' | 'end_call';
  description: string;
  phone_number?: string | null | undefined;
}

/** A value to extract from calls and chats. */
export interface StoredSchemaField {
  name: string;
  type: string;
  description: string;
}

/** Phrases that an assistant says while it thinks. */
export type StoredFillers = Record<'neutral' | 'negative' | 'positive' | 'question', string[]>;

/** The assistants of the users. The defaults in the migrations apply. */
export const assistants = pgTable('assistants', {
  id: integer().generatedAlwaysAsIdentity(),
  uuid: uuid().notNull(),
  userId: integer('user_id').notNull(),
  name: text().notNull(),
  type: text({ enum: ['inbound', 'outbound'] })
    .notNull()
    .default('inbound'),
  mode: text({ enum: ['pipeline', 'multimodal', 'dualplex'] })
    .notNull()
    .default('pipeline'),
  status: text({ enum: ['active', 'inactive'] })
    .notNull()
    .default('inactive'),
  phoneNumberId: integer('phone_number_id'),
  engineId: integer('engine_id'),
  synthesizerId: integer('synthesizer_id'),
  transcriberId: integer('transcriber_id'),
  instanceId: integer('instance_id'),
  flowsPlatformId: integer('flows_platform_id'),
  voiceId: integer('voice_id').notNull(),
  languageId: integer('language_id').notNull(),
  secondaryLanguageIds: integer('secondary_language_ids').array().notNull().default([]),
  llmModelId: integer('llm_model_id'),
  multimodalModelId: integer('multimodal_model_id'),
  chatLlmFallbackId: integer('chat_llm_fallback_id'),
  turnDetectionThreshold: numeric('turn_detection_threshold', { mode: 'number' }),
  transcriberProviderId: integer('transcriber_provider_id'),
  synthesizerProviderId: integer('synthesizer_provider_id'),
  timezone: text().notNull().default('UTC'),
  initialMessage: text('initial_message').notNull().default(''),
  systemPrompt: text('system_prompt').notNull().default(''),
  variables: jsonb().$type<Record<string, unknown>>().notNull().default({}),
  postCallEvaluation: flag('post_call_evaluation', true),
  postCallSchema: jsonb('post_call_schema').$type<StoredSchemaField[]>().notNull().default([]),
  tools: jsonb().$type<StoredBuiltInTool[]>().notNull().default([]),
  toolIds: integer('tool_ids').array().notNull().default([]),
  fillers: flag('fillers', false),
  fillerConfig: jsonb('filler_config').$type<StoredFillers>().notNull().default({
    neutral: [],
    negative: [],
    positive: [],
    question: [],
  }),
  isWebhookActive: flag('is_webhook_active', false),
  webhookUrl: text('webhook_url'),
  inboundWebhookUrl: text('inbound_webhook_url'),
  conversationEndedWebhookUrl: text('conversation_ended_webhook_url'),
  sendWebhookOnlyOnCompleted: flag('send_webhook_only_on_completed', true),
  includeRecordingInWebhook: flag('include_recording_in_webhook', true),
  maxDuration: count('max_duration', 600),
  maxSilenceDuration: count('max_silence_duration', 40),
  maxInitialSilenceDuration: integer('max_initial_silence_duration'),
  ringingTime: count('ringing_time', 30),
  reengagementInterval: count('reengagement_interval', 30),
  reengagementPrompt: text('reengagement_prompt'),
  record: flag('record', false),
  endCallOnVoicemail: flag('end_call_on_voicemail', true),
  voiceMailMessage: text('voice_mail_message'),
  llmTemperature: fraction('llm_temperature'),
  ttsEmotionEnabled: flag('tts_emotion_enabled', true),
  voiceStability: fraction('voice_stability'),
  voiceSimilarity: fraction('voice_similarity'),
  speechSpeed: fraction('speech_speed'),
  allowInterruptions: flag('allow_interruptions', true),
  enableNoiseCancellation: flag('enable_noise_cancellation', true),
  waitForCustomer: flag('wait_for_customer', false),
  endpointType: text('endpoint_type').notNull().default('vad'),
  endpointSensitivity: numeric('endpoint_sensitivity', { mode: 'number' }).notNull().default(0.5),
  interruptSensitivity: numeric('interrupt_sensitivity', { mode: 'number' }).notNull().default(0.5),
  minInterruptWords: count('min_interrupt_words', 0),
  ambientSound: text('ambient_sound').notNull().default('off'),
  ambientSoundVolume: fraction('ambient_sound_volume'),
  knowledgebaseId: integer('knowledgebase_id'),
  knowledgebaseMode: text('knowledgebase_mode', { enum: ['function_call', 'prompt', 'hybrid'] })
    .notNull()
    .default('function_call'),
  conversationInactivityTimeout: count('conversation_inactivity_timeout', 30),
  maxConversationMessages: count('max_conversation_messages', 200),
  maxVisitorMessagesPerDay: count('max_visitor_messages_per_day', 1000),
  maxMessagesPerDay: count('max_messages_per_day', 10_000),
  maxTestMessagesPerDay: count('max_test_messages_per_day', 50),
  proofOfWork: flag('proof_of_work', false),
  webCalls: flag('web_calls', false),
  /** Null is the operator's limit, here and in the next two columns. */
  maxConcurrentWebCalls: integer('max_concurrent_web_calls'),
  maxVisitorWebCallMinutesPerDay: integer('max_visitor_web_call_minutes_per_day'),
  maxWebCallMinutesPerDay: integer('max_web_call_minutes_per_day'),
  allowedOrigins: text('allowed_origins').array().notNull().default([]),
  usageWebhookUrl: text('usage_webhook_url'),
  handoffWebhookUrl: text('handoff_webhook_url'),
  privateVariables: text('private_variables').array().notNull().default([]),
  conversationEndedRetrigger: flag('conversation_ended_retrigger', false),
  userTokenRequired: flag('user_token_required', false),
  widgetSettings: jsonb('widget_settings').$type<Record<string, unknown>>().notNull().default({}),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  deletedAt: timestamptz('deleted_at'),
});
