import type * as z from 'zod/mini';
import { MessageAnswer, NewConversation, PublicAssistant, ReadConversation } from './conversation-answers.ts';
import {
  OpenConversationRequest,
  ResumeConversationQuery,
  SendMessageRequest,
  WriteMessageRequest,
} from './conversation-request.ts';
import * as ending from './ending-endpoints.ts';
import * as visitor from './endpoints.ts';
import * as owner from './owner-endpoints.ts';

/*
 * Every operation as data, with what documentation and typed clients need. What a visitor's browser knows of its own
 * operations is less, because it pays for every byte; the rest is added here.
 */

/** One operation of the service. */
export interface Operation {
  /** What it does, in a sentence or two. */
  summary: string;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With `:name` for each parameter. */
  path: string;
  auth: 'none' | 'bearer';
  request?: z.ZodMiniObject;
  query?: z.ZodMiniObject;
  /** Names of the headers that it reads, beside the key. */
  headers?: readonly string[];
  response: z.ZodMiniType;
  /** Of the answer that brings what was asked for; 200 if absent. */
  success?: 200 | 201;
  statuses: readonly number[];
  /** Whether the answer comes as an event stream to who accepts one. */
  streams?: true;
}

/** The operations that a visitor's browser calls, and those of the owner that were there first. */
export const visitorOperations = {
  openConversation: {
    ...visitor.openConversation,
    summary: 'Opens a text conversation with an assistant, which its public UUID names. Free by itself.',
    request: OpenConversationRequest,
    headers: ['Idempotency-Key'],
    response: NewConversation,
  },
  resumeConversation: {
    ...visitor.resumeConversation,
    summary:
      'Reads a conversation again: the latest 1,000 lines, or those before what an answer had as `earlier_cursor`. Its UUID is the capability, so keep it secret.',
    query: ResumeConversationQuery,
    response: ReadConversation,
  },
  sendMessage: {
    ...visitor.sendMessage,
    summary:
      "Sends a visitor's message and answers with the assistant's. In a conversation of the type widget it costs 0.01 USD, in one of the type test nothing.",
    request: SendMessageRequest,
    headers: ['Idempotency-Key'],
    response: MessageAnswer,
    streams: true,
  },
  readAssistantWidget: {
    ...visitor.readAssistantWidget,
    summary: 'What a page may know of an assistant before anyone chats. Cacheable. Our addition.',
    headers: ['If-None-Match'],
    response: PublicAssistant,
  },
  stopReply: {
    ...ending.stopReply,
    summary: 'Stops the reply under way; what it has said so far is the answer. Our addition.',
  },
  deleteConversation: {
    ...ending.deleteConversation,
    summary: 'Forgets a conversation, with its messages and variables. Our addition.',
  },
  readUser: { ...visitor.readUser, summary: 'The user whose key it is.' },
  listApiKeys: { ...visitor.listApiKeys, summary: "The user's keys, without their values." },
  writeAsPerson: {
    ...visitor.writeAsPerson,
    summary: "Says something to a visitor in the assistant's place. Our addition.",
    request: WriteMessageRequest,
  },
  disableAi: {
    ...visitor.disableAi,
    summary: 'A person takes a conversation over: from now on the assistant does not answer.',
  },
  enableAi: { ...visitor.enableAi, summary: 'A person hands a conversation back to the assistant.' },
} as const satisfies Record<string, Operation>;

/** Every operation by its name. */
export const operations = { ...visitorOperations, ...owner };

/** The operations of a list, for who needs no names' types. */
export const listOperations = (): [name: string, operation: Operation][] =>
  Object.entries<Operation>(operations);
