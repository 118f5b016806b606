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

export const createAssistant = ownerEndpoint({
  summary: 'Creates an assistant, inactive.',
  method: 'POST',
  path: '/api/user/assistant',
  request: CreateAssistantRequest,
  response: SavedAssistant,
  success: 201,
});

export const updateAssistant = ownerEndpoint({
  summary: 'Changes the given fields of an assistant.',
  method: 'PUT',
  path: '/api/user/assistant/:id',
  request: UpdateAssistantRequest,
  response: SavedAssistant,
});

export const deleteAssistant = ownerEndpoint({
  summary: 'Deletes an assistant. Its record is kept for the calls and conversations that it had.',
  method: 'DELETE',
  path: '/api/user/assistant/:id',
  response: Message,
});

export const listAssistants = ownerEndpoint({
  summary: 'The assistants with everything, in pages, newest first.',
  method: 'GET',
  path: '/api/user/assistants/get',
  query: AssistantsQuery,
  response: Assistants,
});

export const listOutboundAssistants = ownerEndpoint({
  summary: 'The outbound assistants of every mode, in short.',
  method: 'GET',
  path: '/api/user/assistants/outbound',
  response: ReducedAssistants,
});

const webhook = <const Path extends `/api/user/${string}`>(summary: string, path: Path) =>
  ownerEndpoint({
    summary,
    method: 'POST',
    path,
    request: WebhookRequest,
    response: WebhookChanged,
    refusals: [404],
  });

const noWebhook = <const Path extends `/api/user/${string}`>(summary: string, path: Path) =>
  ownerEndpoint({
    summary,
    method: 'POST',
    path,
    request: AssistantIdRequest,
    response: WebhookChanged,
    refusals: [404],
  });

export const enableInboundWebhook = webhook(
  'Sets where updates on inbound calls go.',
  '/api/user/assistants/enable-inbound-webhook',
);

export const disableInboundWebhook = noWebhook(
  'Ends updates on inbound calls.',
  '/api/user/assistants/disable-inbound-webhook',
);

export const disableWebhook = noWebhook(
  'Ends notifications after calls.',
  '/api/user/assistants/disable-webhook',
);

export const enableConversationEndedWebhook = webhook(
  'Sets where notifications after conversations go.',

  '/api/user/assistants/enable-conversation-ended-webhook',
);

export const disableConversationEndedWebhook = noWebhook(
  'Ends notifications after conversations.',

  '/api/user/assistants/disable-conversation-ended-webhook',
);

export const listLanguages = ownerEndpoint({
  summary: 'All languages.',
  method: 'GET',
  path: '/api/user/assistants/languages',
  response: Languages,
});

export const listVoices = ownerEndpoint({
  summary: 'The voices that meet every given condition.',
  method: 'GET',
  path: '/api/user/assistants/voices',
  query: VoicesQuery,
  response: Voices,
});

export const listModels = ownerEndpoint({
  summary: 'The models of one type.',
  method: 'GET',
  path: '/api/user/assistants/models',
  query: ModelsQuery,
  response: Models,
});

export const listSynthesizerProviders = ownerEndpoint({
  summary: 'What turns text into speech, for a language if one is given.',
  method: 'GET',
  path: '/api/user/assistants/synthesizer-providers',
  query: ProvidersQuery,
  response: Providers,
});

export const listTranscriberProviders = ownerEndpoint({
  summary: 'What turns speech into text, for a language if one is given.',
  method: 'GET',
  path: '/api/user/assistants/transcriber-providers',
  query: ProvidersQuery,
  response: Providers,
});

export const listAssignableNumbers = ownerEndpoint({
  summary: "The owner's numbers that can be given to an assistant.",
  method: 'GET',
  path: '/api/user/assistants/phone-numbers',
  query: AssignableNumbersQuery,
  response: AssignableNumbers,
});
