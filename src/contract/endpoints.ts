import { AiState, AnsweredMessage, Conversation, Done, OpenedConversation } from './conversation.ts';
import { ApiKeys, User } from './user.ts';
import { AssistantWidget } from './widget-settings.ts';

/*
 * Endpoints as data. A path's `:name` segments are its parameters; requests stand in `*-request.ts`. `statuses` lists what the service answers on
 * purpose; a reader decides by the body, since other services of this interface use other codes.
 */

/** Opens a text conversation with an assistant. Open to everyone: the assistant is named by its public UUID. */
export const openConversation = {
  method: 'POST',
  path: '/api/conversations',
  auth: 'none',
  response: OpenedConversation,
  statuses: [200, 400, 404, 413, 422, 429],
} as const;

/**
 * Reads a conversation again: the end of its history, or with `?before=` and the `earlier_cursor` of an answer what was
 * said before that. Its UUID is the capability, so it appears in no log, title or referrer.
 */
export const resumeConversation = {
  method: 'GET',
  path: '/api/conversations/:uuid',
  auth: 'none',
  response: Conversation,
  statuses: [200, 404, 422, 429],
} as const;

/** Sends a visitor's message; answers with JSON, or with an event stream if the request accepts one. */
export const sendMessage = {
  method: 'POST',
  path: '/api/conversations/:uuid/messages',
  auth: 'none',
  response: AnsweredMessage,
  statuses: [200, 400, 404, 413, 422, 429],
} as const;

/** What a page may know of an assistant before anyone chats. Cacheable, no credential. */
export const readAssistantWidget = {
  method: 'GET',
  path: '/api/assistants/:uuid/widget',
  auth: 'none',
  response: AssistantWidget,
  statuses: [200, 304, 404, 429],
} as const;

/** The user that a key belongs to. */
export const readUser = {
  method: 'GET',
  path: '/api/user/me',
  auth: 'bearer',
  response: User,
  statuses: [200, 401, 429],
} as const;

/** The user's keys, without their values. */
export const listApiKeys = {
  method: 'GET',
  path: '/api/user/api-keys',
  auth: 'bearer',
  response: ApiKeys,
  statuses: [200, 401, 429],
} as const;

/** Says something to a visitor in the assistant's place. Our addition. */
export const writeAsPerson = {
  method: 'POST',
  path: '/api/user/conversations/:uuid/messages',
  auth: 'bearer',
  response: Done,
  statuses: [200, 401, 404, 413, 422, 429],
} as const;

/** A person takes a conversation over: from now on the assistant does not answer. */
export const disableAi = {
  method: 'POST',
  path: '/api/automate/conversations/:uuid/disable-ai',
  auth: 'bearer',
  response: AiState,
  statuses: [200, 401, 404, 429],
} as const;

/** A person hands a conversation back to the assistant. */
export const enableAi = {
  method: 'POST',
  path: '/api/automate/conversations/:uuid/enable-ai',
  auth: 'bearer',
  response: AiState,
  statuses: [200, 401, 404, 429],
} as const;
