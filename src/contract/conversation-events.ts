import * as z from 'zod/mini';
import { HistoryItem } from './chat-endpoints.ts';

/**
 * Watches a conversation. Our addition. Answers with an event stream (`text/event-stream`) of
 *
 * - `message`: an entry by any author was added to the history: {@link MessageEvent}. The event's `id` is a cursor.
 * - `handoff`: whether the assistant answers: {@link HandoffEvent}. Sent once at the beginning and after each change.
 * - `ended`: the conversation takes no more messages, or was deleted: `{}`. The stream closes after it.
 *
 * Comments keep the connection alive. The service closes a stream after half an hour, and when it restarts; the client
 * resumes with its latest cursor in `Last-Event-ID` (as `EventSource` does) or in `?after=`, and misses nothing. A new
 * client takes the `events_cursor` of the answer that it has the history from; without a cursor the stream begins now.
 * 429 means that too many streams are open for this conversation or address.
 */
export const watchConversation = {
  method: 'GET',
  path: '/api/conversations/:uuid/events',
  auth: 'none',
  statuses: [200, 404, 422, 429],
} as const;

/**
 * Data of `message`: the entry as `GET /conversations/{uuid}` lists it, with its cursor. Messages of the visitor and
 * their answers come too, also those that this client has sent and read by itself. Entries of a person and system
 * events are the ones whose `role` is not `user` and that have no `in_reply_to`.
 */
export const MessageEvent = z.looseObject({
  ...HistoryItem.shape,
  /** The cursor: resuming after it gives the entries that were added later. Unique within the conversation. */
  id: z.catch(z.string(), ''),
  /** Of an answer: the `id` of the visitor's message. Empty for other entries. */
  in_reply_to: z.catch(z.string(), ''),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

/** Data of `handoff`: false while a person answers in the assistant's place. */
export const HandoffEvent = z.looseObject({ ai_enabled: z.boolean() });
export type HandoffEvent = z.infer<typeof HandoffEvent>;
