import {
  AssignableNumbers,
  Assistants,
  Languages,
  Models,
  Providers,
  ReducedAssistants,
  SavedAssistant,
  Voices,
  WebhookChanged,
} from './assistant.ts';
import {
  AssignableNumbersQuery,
  AssistantIdRequest,
  AssistantsQuery,
  CreateAssistantRequest,
  ModelsQuery,
  ProvidersQuery,
  UpdateAssistantRequest,
  VoicesQuery,
  WebhookRequest,
} from './assistant-request.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import { Message } from './record-answers.ts';

/** Creates an assistant, inactive. */
export const createAssistant = ownerEndpoint({
  method: 'POST',
  path: '/api/user/assistant',
  request: CreateAssistantRequest,
  response: SavedAssistant,
  success: 201,
});

/** Changes the given fields of an assistant. */
export const updateAssistant = ownerEndpoint({
  method: 'PUT',
  path: '/api/user/assistant/:id',
  request: UpdateAssistantRequest,
  response: SavedAssistant,
});

/** Deletes an assistant. Its record is kept for the calls and conversations that it had. */
export const deleteAssistant = ownerEndpoint({
  method: 'DELETE',
  path: '/api/user/assistant/:id',
  response: Message,
});

/** The assistants with everything, in pages, newest first. */
export const listAssistants = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/get',
  query: AssistantsQuery,
  response: Assistants,
});

/** The outbound assistants of every mode, in short. */
export const listOutboundAssistants = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/outbound',
  response: ReducedAssistants,
});

const webhook = <const Path extends `/api/user/${string}`>(path: Path) =>
  ownerEndpoint({
    method: 'POST',
    path,
    request: WebhookRequest,
    response: WebhookChanged,
    refusals: [404],
  });

const noWebhook = <const Path extends `/api/user/${string}`>(path: Path) =>
  ownerEndpoint({
    method: 'POST',
    path,
    request: AssistantIdRequest,
    response: WebhookChanged,
    refusals: [404],
  });

/** Sets where updates on inbound calls go. */
export const enableInboundWebhook = webhook('/api/user/assistants/enable-inbound-webhook');

/** Ends updates on inbound calls. */
export const disableInboundWebhook = noWebhook('/api/user/assistants/disable-inbound-webhook');

/** Ends notifications after calls. */
export const disableWebhook = noWebhook('/api/user/assistants/disable-webhook');

/** Sets where notifications after conversations go. */
export const enableConversationEndedWebhook = webhook(
  '/api/user/assistants/enable-conversation-ended-webhook',
);

/** Ends notifications after conversations. */
export const disableConversationEndedWebhook = noWebhook(
  '/api/user/assistants/disable-conversation-ended-webhook',
);

/** All languages. */
export const listLanguages = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/languages',
  response: Languages,
});

/** The voices that meet every given condition. */
export const listVoices = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/voices',
  query: VoicesQuery,
  response: Voices,
});

/** The models of one type. */
export const listModels = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/models',
  query: ModelsQuery,
  response: Models,
});

/** What turns text into speech, for a language if one is given. */
export const listSynthesizerProviders = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/synthesizer-providers',
  query: ProvidersQuery,
  response: Providers,
});

/** What turns speech into text, for a language if one is given. */
export const listTranscriberProviders = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/transcriber-providers',
  query: ProvidersQuery,
  response: Providers,
});

/** The owner's numbers that can be given to an assistant. */
export const listAssignableNumbers = ownerEndpoint({
  method: 'GET',
  path: '/api/user/assistants/phone-numbers',
  query: AssignableNumbersQuery,
  response: AssignableNumbers,
});
