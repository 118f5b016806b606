import type { ApiClient } from '../../src/client/api-client.ts';

/*
 * Every response that the interface specification describes, and what it leaves open, as public services answer it: with
 * exactly these fields and without our additions.
 */

const timestamp = '2026-01-31T09:30:00.000000Z';
const plainTimestamp = '2026-01-31 09:30:00';
const uuid = '0f0e0d0c-0b0a-4908-8706-050403020100';
const schema = [{ name: 'won', type: 'bool', description: 'Whether they buy' }];

const user = { name: 'Ada Byron', email: 'ada@example.com', total_balance: 12.5 };

const apiKey = { id: 1, name: 'Shop', last_used_at: null, created_at: timestamp };

const reducedAssistant = {
  id: 1,
  user_id: 7,
  name: 'Kim',
  type: 'outbound',
  mode: 'pipeline',
  status: 'active',
  voice_id: 1,
  language_id: 1,
  timezone: 'Europe/Berlin',
  initial_message: 'Hello {{first_name}}!',
  system_prompt: 'Be kind.',
  variables: { first_name: 'Ada' },
  webhook_url: null,
  is_webhook_active: false,
  created_at: timestamp,
  updated_at: timestamp,
};

const assistant = {
  id: 1,
  uuid,
  user_id: 7,
  name: 'Kim',
  type: 'inbound',
  mode: 'pipeline',
  status: 'active',
  phone_number_id: null,
  engine_id: null,
  synthesizer_id: 2,
  transcriber_id: null,
  instance_id: null,
  flows_platform_id: null,
  voice_id: 1,
  language_id: 1,
  language: null,
  llm_model_id: 1,
  multimodal_model_id: null,
  transcriber_provider_id: 3,
  synthesizer_provider_id: null,
  timezone: 'Europe/Berlin',
  initial_message: 'Hello!',
  system_prompt: 'Be kind.',
  variables: { first_name: 'Ada' },
  post_call_evaluation: true,
  post_call_schema: schema,
  tools: [
    { type: 'call_transfer', description: 'To a person', phone_number: '+4930123456' },
    { type: 'end_call', description: 'At the end' },
  ],
  fillers: 0,
  filler_config: { neutral: ['Hm'], negative: [], positive: [], question: [] },
  is_webhook_active: false,
  webhook_url: null,
  inbound_webhook_url: null,
  send_webhook_only_on_completed: true,
  include_recording_in_webhook: true,
  max_duration: 600,
  max_silence_duration: 40,
  reengagement_interval: 30,
  record: false,
  end_call_on_voicemail: 1,
  llm_temperature: '0.10',
  voice_stability: '0.70',
  voice_similarity: '0.50',
  speech_speed: '1.00',
  ambient_sound_volume: '0.50',
  allow_interruptions: true,
  enable_noise_cancellation: true,
  wait_for_customer: false,
  endpoint_type: 'vad',
  endpoint_sensitivity: 0.5,
  interrupt_sensitivity: 0.5,
  min_interrupt_words: 0,
  ambient_sound: 'off',
  knowledgebase_id: null,
  knowledgebase_mode: 'hybrid',
  widget_settings: { theme: 'light', color: '#3B82F6', position: 'right-bottom' },
  created_at: timestamp,
  updated_at: timestamp,
  deleted_at: null,
};

const page = (record: object) => ({
  current_page: 1,
  data: [record],
  first_page_url: 'https://service.example/api/user/leads?page=1',
  from: 1,
  last_page: 1,
  last_page_url: 'https://service.example/api/user/leads?page=1',
  links: [{ url: null, label: '&laquo; Previous', active: false }],
  next_page_url: null,
  path: 'https://service.example/api/user/leads',
  per_page: 15,
  prev_page_url: null,
  to: 1,
  total: 1,
});

const tool = {
  id: 1,
  name: 'find_order',
  description: 'Finds an order.',
  endpoint: 'https://shop.example/orders',
  method: 'GET',
  timeout: 10,
  headers: [{ name: 'X-Key', value: 'secret' }],
  schema: [{ name: 'number', type: 'string', description: 'Its number' }],
  created_at: timestamp,
  updated_at: timestamp,
};

const phoneNumber = {
  id: 1,
  phone_number: '+4930123456',
  country_code: 'DE',
  type: 'normal',
  type_label: 'Dedicated',
  sms_capable: true,
  region: 'Berlin',
  has_active_subscription: true,
  created_at: timestamp,
};

const contact = {
  id: 2,
  phone_number: '+4915112345671',
  variables: { customer_name: 'Eve' },
  status: 'created',
  created_at: plainTimestamp,
  updated_at: plainTimestamp,
};

const lead = {
  id: 1,
  campaign_id: 3,
  phone_number: '+4915112345670',
  variables: { customer_name: 'Ada', email: 'ada@example.com' },
  status: 'created',
  created_at: plainTimestamp,
  updated_at: plainTimestamp,
  campaign: { id: 3, name: 'Spring' },
  secondary_contacts: [contact],
};

const call = {
  id: 1,
  assistant_name: 'Kim',
  campaign_name: 'Spring',
  type: 'outbound',
  duration: 61,
  assistant_phone_number: '+4930123456',
  client_phone_number: '+4915112345670',
  status: 'completed',
  transcript: 'AI: Hello!',
  variables: { won: true },
  evaluation: { sentiment: 'positive', outcome: 'won', score: 9 },
  webhook_response: { ok: true },
  carrier_cost: 0.02,
  total_cost: 0.12,
  answered_by: 'human',
  recording_url: 'https://service.example/recordings/1',
  created_at: plainTimestamp,
  updated_at: plainTimestamp,
};

const knowledgebase = {
  id: 1,
  name: 'Shop',
  description: 'What we sell',
  status: 'active',
  status_label: 'Active',
  documents_count: 1,
  assistants_count: 1,
  created_at: timestamp,
  updated_at: timestamp,
};

const changedDocument = {
  id: 1,
  name: 'Prices',
  description: 'Of 2026',
  type: 'pdf',
  type_label: 'PDF',
  status: 'active',
  status_label: 'Active',
  updated_at: timestamp,
};

const campaign = {
  id: 3,
  name: 'Spring',
  status: 'draft',
  max_calls_in_parallel: 3,
  mark_complete_when_no_leads: true,
  allowed_hours_start_time: '00:00',
  allowed_hours_end_time: '23:59',
  allowed_days: ['monday', 'friday'],
  max_retries: 3,
  retry_interval: 60,
  created_at: timestamp,
  updated_at: timestamp,
};

const listedConversation = {
  id: uuid,
  assistant_id: uuid,
  assistant_name: 'Kim',
  type: 'widget',
  variables: { first_name: 'Ada' },
  message_count: 2,
  total_cost: 0.01,
  ai_enabled: true,
  created_at: timestamp,
  updated_at: timestamp,
};

const functionCalls = [{ name: 'find_order', arguments: { number: '7' }, result: { state: 'sent' } }];

const message = 'Done.';

/** An operation with the response that the specification describes. */
export interface SpecifiedAnswer {
  readonly name: string;
  readonly answer: object;
  readonly call: (client: ApiClient) => Promise<unknown>;
}

const required = {
  name: 'Kim',
  voice_id: 1,
  language_id: 1,
  type: 'inbound',
  mode: 'pipeline',
  timezone: 'Europe/Berlin',
  initial_message: 'Hello!',
  system_prompt: 'Be kind.',
} as const;
const webhook = { assistant_id: 1, webhook_url: 'https://shop.example/hook' };
const document = { knowledgebaseId: 1, documentId: 1 };

export const specifiedAnswers: readonly SpecifiedAnswer[] = [
  { name: 'readUser', answer: user, call: (client) => client.readUser() },
  { name: 'listApiKeys', answer: { api_keys: [apiKey] }, call: (client) => client.listApiKeys() },
  {
    name: 'createAssistant',
    answer: { message, data: { id: 1, name: 'Kim', status: 'inactive', type: 'inbound', mode: 'pipeline' } },
    call: (client) => client.createAssistant({ body: required }),
  },
  { name: 'listAssistants', answer: page(assistant), call: (client) => client.listAssistants() },
  {
    name: 'listOutboundAssistants',
    answer: [reducedAssistant],
    call: (client) => client.listOutboundAssistants(),
  },
  {
    name: 'enableInboundWebhook',
    answer: { message, data: [] },
    call: (client) => client.enableInboundWebhook({ body: webhook }),
  },
  {
    name: 'listLanguages',
    answer: [{ id: 1, name: 'English', iso_2: 'en' }],
    call: (client) => client.listLanguages(),
  },
  {
    name: 'listAssignableNumbers',
    answer: [
      {
        id: 1,
        phone_number: '+4930123456',
        country_code: 'DE',
        type_label: 'Dedicated',
        is_available: true,
      },
    ],
    call: (client) => client.listAssignableNumbers(),
  },
  { name: 'listPhoneNumbers', answer: { data: [phoneNumber] }, call: (client) => client.listPhoneNumbers() },
  { name: 'releasePhoneNumber', answer: { message }, call: (client) => client.releasePhoneNumber({ id: 1 }) },
  { name: 'listTools', answer: [tool], call: (client) => client.listTools() },
  {
    name: 'updateTool',
    answer: { message, data: tool },
    call: (client) => client.updateTool({ id: 1, body: { timeout: 10 } }),
  },
  {
    name: 'readKnowledgebase',
    answer: { data: knowledgebase },
    call: (client) => client.readKnowledgebase({ id: 1 }),
  },
  {
    name: 'readDocument',
    answer: { data: { ...changedDocument, created_at: timestamp } },
    call: (client) => client.readDocument(document),
  },
  {
    name: 'updateDocument',
    answer: { message, data: changedDocument },
    call: (client) => client.updateDocument({ ...document, body: { name: 'Prices' } }),
  },
  { name: 'deleteDocument', answer: { message }, call: (client) => client.deleteDocument(document) },
  {
    name: 'createLead',
    answer: { message, data: lead },
    call: (client) => client.createLead({ body: { phone_number: '+4915112345670', campaign_id: 3 } }),
  },
  { name: 'listLeads', answer: page(lead), call: (client) => client.listLeads() },
  {
    name: 'makeCall',
    answer: { message, data: {} },
    call: (client) => client.makeCall({ body: { phone_number: '+4915112345670', assistant_id: 1 } }),
  },
  { name: 'readCall', answer: call, call: (client) => client.readCall({ id: 1 }) },
  {
    name: 'openConversation',
    answer: { status: true, conversation_id: uuid, history: [{ role: 'assistant', content: 'Hello!' }] },
    call: (client) => client.openConversation({ body: { assistant_id: uuid } }),
  },
  {
    name: 'sendMessage',
    answer: { status: true, message: 'It was sent.', function_calls: functionCalls },
    call: (client) => client.sendMessage({ uuid, body: { message: 'Where is it?' } }),
  },
  {
    name: 'resumeConversation',
    answer: {
      status: true,
      history: [
        { role: 'user', content: 'Where is it?' },
        { role: 'assistant', content: 'It was sent.', function_calls: functionCalls },
      ],
      variables: { first_name: 'Ada' },
    },
    call: (client) => client.resumeConversation({ uuid }),
  },
  {
    name: 'generateReply',
    answer: {
      success: true,
      conversation_id: uuid,
      customer_identifier: 'ada',
      reply: 'It was sent.',
      function_calls: functionCalls,
      ai_disabled: false,
    },
    call: (client) =>
      client.generateReply({
        body: { assistant_id: 1, customer_identifier: 'ada', message: 'Where is it?' },
      }),
  },
  {
    name: 'listConversations',
    answer: {
      data: [listedConversation],
      path: 'https://service.example/api/user/conversations',
      per_page: 15,
      next_cursor: null,
      next_page_url: null,
      prev_cursor: null,
      prev_page_url: null,
    },
    call: (client) => client.listConversations(),
  },
  {
    name: 'disableAi',
    answer: { status: true, ai_enabled: false },
    call: (client) => client.disableAi({ uuid }),
  },
  {
    name: 'enableAi',
    answer: { status: true, ai_enabled: true },
    call: (client) => client.enableAi({ uuid }),
  },
  { name: 'listAllAssistants', answer: [assistant], call: (client) => client.listAllAssistants() },
  { name: 'deleteAssistant', answer: { message }, call: (client) => client.deleteAssistant({ id: 1 }) },
  {
    name: 'disableWebhook',
    answer: { message, data: [] },
    call: (client) => client.disableWebhook({ body: { assistant_id: 1 } }),
  },
  {
    name: 'listVoices',
    answer: [
      {
        id: 1,
        name: 'Aria',
        language_id: 1,
        gender: 'female',
        preview_url: null,
        accent: 'British',
        age: 'young',
        synthesizer_provider_id: 2,
      },
    ],
    call: (client) => client.listVoices(),
  },
  { name: 'listModels', answer: [{ id: 1, name: 'Small' }], call: (client) => client.listModels() },
  { name: 'readTool', answer: tool, call: (client) => client.readTool({ id: 1 }) },
  {
    name: 'listKnowledgebases',
    answer: { data: [knowledgebase] },
    call: (client) => client.listKnowledgebases(),
  },
  {
    name: 'updateLead',
    answer: { message, data: lead },
    call: (client) => client.updateLead({ id: 1, body: { status: 'completed' } }),
  },
  { name: 'listCampaigns', answer: [campaign], call: (client) => client.listCampaigns() },
  {
    name: 'createCampaign',
    answer: { message, data: campaign },
    call: (client) => client.createCampaign({ body: { name: 'Spring', assistant_id: 1 } }),
  },
  {
    name: 'updateCampaignStatus',
    answer: { message, success: true, data: { campaign_id: 3, status: 'in-progress' } },
    call: (client) => client.updateCampaignStatus({ body: { campaign_id: 3, action: 'start' } }),
  },
  { name: 'listCalls', answer: page(call), call: (client) => client.listCalls() },
  {
    name: 'makeCall, with the call',
    answer: { message, data: {}, call_id: 1, status: 'initiated' },
    call: (client) => client.makeCall({ body: { phone_number: '+4915112345670', assistant_id: 1 } }),
  },
  {
    name: 'searchPhoneNumbers',
    answer: {
      data: [
        {
          phone_number: '+4930123456',
          phone_number_formatted: '+49 30 123456',
          country_code: 'DE',
          price: 5,
          address_requirements: 'none',
          sms_capable: true,
        },
      ],
    },
    call: (client) => client.searchPhoneNumbers(),
  },
  {
    name: 'purchasePhoneNumber',
    answer: { message, data: phoneNumber },
    call: (client) => client.purchasePhoneNumber({ body: { phone_number: '+4930123456' } }),
  },
];
