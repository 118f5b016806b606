import * as z from 'zod/mini';
import { cursorPaginated, timestamp } from './answer-fields.ts';
import * as chat from './chat-endpoints.ts';
import { ClientTools, ToolResults } from './client-tool.ts';
import { countCharacters, limits, recordLimits, requestLimits } from './limits.ts';
import * as messaging from './messaging-endpoints.ts';
import { ownerEndpoint } from './owner-endpoint.ts';
import {
  partialPhoneNumber,
  limitedVariables,
  pageQuery,
  patternText,
  text,
  variablesBounds,
} from './request-fields.ts';
import { isVerifiedName } from './user-token.ts';

/*
 * Conversations (interface: "Text conversations"), exactly as our service accepts and answers them. Browsers load the
 * much smaller `chat-endpoints.ts` and `messaging-endpoints.ts` instead, which read answers liberally. `statuses` lists the
 * statuses that our service answers with.
 */

const { message: messageLimit, variables: variableLimits } = limits;
const { author: authorLimit, userToken: tokenLimits } = requestLimits;

/** Key/value pairs for `{{variable_name}}` in the system prompt and the initial message. */
const NamedValues = z
  .record(
    z.string().check(z.refine((name) => countCharacters(name) <= variableLimits.nameCharacters)),
    z.json(),
    {
      // A record reports an invalid name as an issue of its own, and a name can only be too long.
      error: (issue) =>
        issue.code === 'invalid_key'
          ? `variables: a name may have at most ${variableLimits.nameCharacters} characters`
          : 'variables must be an object',
    },
  )
  .register(z.globalRegistry, variablesBounds)
  .check(
    z.refine(
      (all) => !Object.keys(all).some(isVerifiedName),
      'variables: names that begin with verified. are reserved for user tokens',
    ),
  );

/** The variables of a request; `[]` is accepted as an empty object. */
export const Variables = limitedVariables(
  {
    count: `variables: at most ${variableLimits.count} are allowed`,
    value: `variables: a value may have at most ${variableLimits.valueCharacters} characters`,
  },
  NamedValues,
);
export type Variables = z.infer<typeof Variables>;

/** `widget` is billed, `test` is free. */
export const ConversationType = z.enum(['widget', 'test'], { error: 'type must be widget or test' });
export type ConversationType = z.infer<typeof ConversationType>;

/** Body of `POST /conversations`. JSON clients often send `null` for an absent optional field. */
export const OpenConversationRequest = z.object(
  {
    assistant_id: z.guid({
      error: (issue) =>
        issue.input === undefined || issue.input === null
          ? 'assistant_id is required'
          : 'assistant_id must be a UUID',
    }),
    type: z._default(z.nullish(ConversationType), 'widget'),
    variables: z.nullish(Variables),
    user_token: z.nullish(
      z.string('user_token must be a string').check(z.maxLength(tokenLimits.max, 'user_token is too long')),
    ),
    /** Opens a conversation even if the verified user has one that has not ended. Our addition. */
    new_conversation: z.nullish(z.boolean('new_conversation must be true or false')),
  },
  { error: 'the body must be a JSON object' },
);
export type OpenConversationRequest = z.input<typeof OpenConversationRequest>;

/** Query of `GET /conversations/{uuid}`. */
export const ResumeConversationQuery = z.object({
  /** The `earlier_cursor` of an answer: returns the entries before that answer. */
  before: z.optional(z.string()),
});

/** The text of a message, by a visitor or by a person after a handoff. */
const MessageText = z
  .string({
    error: (issue) =>
      issue.input === undefined || issue.input === null ? 'message is required' : 'message must be a string',
  })
  .register(z.globalRegistry, { minLength: 1, maxLength: messageLimit.max })
  .check(
    z.refine((text) => text.trim() !== '', { error: 'message is required', abort: true }),
    z.refine((text) => !text.includes('\0'), 'message must not contain null characters'),
    z.refine(
      (text) => countCharacters(text) <= messageLimit.max,
      `message may have at most ${messageLimit.max} characters`,
    ),
  );

/** Body of `POST /conversations/{uuid}/messages`. All fields but `message` are our additions. */
export const SendMessageRequest = z.object(
  {
    message: MessageText,
    /** Merged into the conversation's variables. */
    variables: z.nullish(Variables),
    client_tools: z.nullish(ClientTools),
    tool_results: z.nullish(ToolResults),
    /** The solution of the challenge that the response 428 contained, as ALTCHA's payload in Base64. */
    proof_of_work: z.nullish(z.string('proof_of_work must be a string').check(z.maxLength(2000))),
  },
  { error: 'the body must be a JSON object' },
);
export type SendMessageRequest = z.infer<typeof SendMessageRequest>;

/** Body of `POST /user/conversations/{uuid}/messages`: a message by a person instead of the assistant. */
export const WriteMessageRequest = z.object(
  {
    message: MessageText,
    /** The person's name, which the visitor sees with the message. Without one, the assistant's name stands there. */
    author: z.nullish(
      z
        .string('author must be a string')
        .register(z.globalRegistry, { maxLength: authorLimit.max })
        .check(
          z.refine((name) => !name.includes('\0'), 'author must not contain null characters'),
          z.refine(
            (name) => countCharacters(name) <= authorLimit.max,
            `author may have at most ${authorLimit.max} characters`,
          ),
        ),
    ),
  },
  { error: 'the body must be a JSON object' },
);
export type WriteMessageRequest = z.infer<typeof WriteMessageRequest>;

/** A tool call during an answer. */
export const CalledFunction = z.looseObject({
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
  /** Absent while the call runs, and from calls that the page runs. */
  result: z.optional(z.unknown()),
  /** Our addition: the page runs the call and sends its result with the next message. */
  client: z.optional(z.literal(true)),
});

/** One entry of a conversation's history, oldest first. */
export const HistoryMessage = z.looseObject({
  /** `system` reports events such as a human handoff. */
  role: z.enum(['assistant', 'user', 'system']),
  /** Of a `system` entry: the event in English. */
  content: z.string(),
  /** Our addition: what a `system` entry reports, so that clients can say it in the visitor's language. */
  event: z.optional(z.enum(chat.historyEvents)),
  /** Our addition: seconds, with the event `call_ended`. */
  duration: z.optional(z.int()),
  function_calls: z.optional(z.array(CalledFunction)),
  /** Our addition: the name of the person who wrote it instead of the assistant. */
  author: z.optional(z.string()),
  created_at: timestamp,
});

/** Response of `POST /conversations`. */
export const NewConversation = z.looseObject({
  status: z.literal(true),
  conversation_id: z.uuid(),
  history: z.array(HistoryMessage),
  /** Our addition: the cursor of `?after=` at which the events after this answer begin. */
  events_cursor: z.string(),
});

/** Response of `GET /conversations/{uuid}`. */
export const ReadConversation = z.looseObject({
  status: z.literal(true),
  history: z.array(HistoryMessage),
  /** The value of `before` that returns the earlier entries; absent if there are none. */
  earlier_cursor: z.optional(z.string()),
  variables: z.nullable(z.record(z.string(), z.unknown())),
  /** False while a person has taken over. */
  ai_enabled: z.boolean(),
  /** Whether the conversation accepts no more messages, and all replies are written. */
  ended: z.boolean(),
  /** Our addition: the cursor of `?after=` at which the events after this answer begin; absent with `before`. */
  events_cursor: z.optional(z.string()),
});

/** Data of the event `message` of `GET /conversations/{uuid}/events`. */
export const AddedMessage = z.looseObject({
  ...HistoryMessage.shape,
  /** The entry's cursor; also the event's `id`. */
  id: z.string(),
  /** For an answer, the `id` of the visitor's message. */
  in_reply_to: z.optional(z.string()),
});

/** Data of the event `handoff`. */
export const Handoff = z.object({
  /** False while a person has taken over. */
  ai_enabled: z.boolean(),
});

/** Response of `POST /conversations/{uuid}/messages`, and data of the stream's `done` event. */
export const MessageAnswer = z.looseObject({
  status: z.literal(true),
  message: z.string(),
  function_calls: z.array(CalledFunction),
  ai_enabled: z.boolean(),
  /** Present if the assistant ended the conversation for good. */
  ended: z.optional(z.literal(true)),
});

/** Response of `disable-ai` and `enable-ai`. */
export const AiState = z.looseObject({ status: z.literal(true), ai_enabled: z.boolean() });

/** A problem with a message of a conversation, which only the owner sees. Ours. */
export const ConversationProblem = z.looseObject({
  /** The reply failed, or its prompt had no room for everything from the page. */
  kind: z.enum(['reply-failed', 'left-out']),
  reason: z.string(),
  /** The visitor's message. */
  message: z.string(),
  /** When the message was stored. */
  created_at: timestamp,
});
export type ConversationProblem = z.infer<typeof ConversationProblem>;

/** A conversation in its owner's list. */
export const ListedConversation = z.looseObject({
  /** UUID. */
  id: z.string(),
  /** UUID. */
  assistant_id: z.string(),
  assistant_name: z.string(),
  type: z.string(),
  variables: z.record(z.string(), z.unknown()),
  message_count: z.int(),
  /** USD. */
  total_cost: z.number(),
  ai_enabled: z.boolean(),
  /** Our addition: the `sub` of the visitor's user token; null if the visitor was not verified. */
  verified_user: z.nullable(z.string()),
  /** Our additions: the results of the evaluation after the conversation ended; absent if there are none. */
  evaluation: z.nullish(z.record(z.string(), z.unknown())),
  extracted_variables: z.nullish(z.record(z.string(), z.unknown())),
  /** Our addition: the latest ten, newest first; absent if there are none. */
  problems: z.optional(z.array(ConversationProblem)),
  created_at: timestamp,
  updated_at: timestamp,
});
export type ListedConversation = z.infer<typeof ListedConversation>;

/** Query of `GET /user/conversations`. */
export const ConversationsQuery = z.object({
  type: z.optional(text(recordLimits.name)),
  /** Assistants have an integer id and a UUID; conversations show the UUID. */
  assistant_id: z.optional(
    patternText(/^(\d{1,10}|[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i, 'must be an id or a UUID.'),
  ),
  /** Part of the customer's phone number, if `customer_identifier` of `generate-reply` is one. */
  customer_phone: z.optional(partialPhoneNumber()),
  /** The `customer_identifier` of `generate-reply`. */
  external_identifier: z.optional(text(recordLimits.name)),
  per_page: pageQuery.per_page,
  cursor: z.optional(text(recordLimits.name)),
});
export type ConversationsQuery = z.infer<typeof ConversationsQuery>;

export const openConversation = {
  ...chat.openConversation,
  summary: 'Opens a text conversation with an assistant, identified by its public UUID. Free.',
  auth: 'none',
  request: OpenConversationRequest,
  headers: ['Idempotency-Key'],
  response: NewConversation,
  statuses: [200, 400, 401, 403, 404, 413, 422, 429],
} as const;

export const resumeConversation = {
  ...chat.resumeConversation,
  summary:
    "Returns a conversation's latest 1,000 entries, or those before an `earlier_cursor`. The UUID is the capability, so keep it secret.",
  auth: 'none',
  query: ResumeConversationQuery,
  response: ReadConversation,
  statuses: [200, 404, 422, 429],
} as const;

export const sendMessage = {
  ...messaging.sendMessage,
  summary:
    "Sends a visitor's message and returns the assistant's answer. Costs 0.01 USD in a conversation of type widget, nothing in one of type test.",
  auth: 'none',
  request: SendMessageRequest,
  headers: ['Idempotency-Key'],
  response: MessageAnswer,
  statuses: [200, 400, 403, 404, 413, 422, 428, 429],
  streams: true,
} as const;

export const stopReply = {
  ...messaging.stopReply,
  summary: 'Stops the current reply; the text so far becomes the answer. Our addition.',
  auth: 'none',
  statuses: [200, 404, 429],
} as const;

export const deleteConversation = {
  ...messaging.deleteConversation,
  summary: 'Deletes a conversation with its messages and variables. Our addition.',
  auth: 'none',
  statuses: [200, 404, 429],
} as const;

export const listConversations = ownerEndpoint({
  summary: "Lists the conversations with the owner's assistants, newest first, with cursor pagination.",
  method: 'GET',
  path: '/api/user/conversations',
  scope: 'read',
  query: ConversationsQuery,
  response: cursorPaginated(ListedConversation),
});

export const writeAsPerson = ownerEndpoint({
  summary: "Sends a person's message to the visitor instead of the assistant's answer. Our addition.",
  method: 'POST',
  path: '/api/user/conversations/:uuid/messages',
  scope: 'inbox',
  changes: 'conversation',
  request: WriteMessageRequest,
  response: chat.Done,
});

export const disableAi = ownerEndpoint({
  summary: 'Lets a person take over a conversation: the assistant stops answering.',
  method: 'POST',
  path: '/api/automate/conversations/:uuid/disable-ai',
  scope: 'inbox',
  changes: 'conversation',
  response: AiState,
});

export const enableAi = ownerEndpoint({
  summary: 'Hands a conversation back to the assistant.',
  method: 'POST',
  path: '/api/automate/conversations/:uuid/enable-ai',
  scope: 'inbox',
  changes: 'conversation',
  response: AiState,
});
