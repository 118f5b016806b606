import * as z from 'zod/mini';
import { Done, Flag, FunctionCalls } from './chat-endpoints.ts';

/*
 * The endpoints of messages, as a visitor's browser uses them. Separate from `chat-endpoints.ts`, so that a page loads
 * them only when the visitor writes.
 */

/** Response of `POST /conversations/{uuid}/messages`, and data of the stream's `done` event. */
export const AnsweredMessage = z.looseObject({
  status: z.literal(true),
  message: z.string(),
  function_calls: FunctionCalls,
  /** False while a person has taken over: the message is stored, and the assistant does not answer it. */
  ai_enabled: Flag,
  /** True if the assistant ended the conversation with this answer. */
  ended: Flag,
});
export type AnsweredMessage = z.infer<typeof AnsweredMessage>;

/** Data of the stream's `delta` event: the next part of the answer's text. */
export const MessageDelta = z.looseObject({ text: z.string() });
export type MessageDelta = z.infer<typeof MessageDelta>;

/** Sends a visitor's message. Answers with JSON, or with an event stream if the request accepts one. */
export const sendMessage = {
  method: 'POST',
  path: '/api/conversations/:uuid/messages',
  response: AnsweredMessage,
} as const;

/** Stops the current reply; the text so far becomes the answer. Succeeds also if there is no reply. Our addition. */
export const stopReply = {
  method: 'POST',
  path: '/api/conversations/:uuid/stop',
  response: Done,
} as const;

/** Deletes a conversation with its messages and variables. Our addition. */
export const deleteConversation = {
  method: 'DELETE',
  path: '/api/conversations/:uuid',
  response: Done,
} as const;
