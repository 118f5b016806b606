import * as z from 'zod/mini';
import { HistoryItem } from './chat-endpoints.ts';

/**
 * Streams the events of a conversation (`text/event-stream`). Our addition. Events:
 *
 * - `message`: an entry was added to the history: {@link MessageEvent}. The event's `id` is a cursor.
 * - `handoff`: whether the assistant answers: {@link HandoffEvent}. Sent at the start and after each change.
 * - `ended`: the conversation ended or was deleted: `{}`. The stream closes after it.
 *
 * Comments keep the connection alive. The service closes a stream after 30 minutes and when it restarts. The client
 * then resumes with its latest cursor in `Last-Event-ID` (as `EventSource` does) or in `?after=`. A new client starts
 * at the `events_cursor` of the response that contained the history; without a cursor the stream starts now. 429
 * means that too many streams are open for this conversation or address.
 */
export const watchConversation = {
  method: 'GET',
  path: '/api/conversations/:uuid/events',
  auth: 'none',
  statuses: [200, 404, 422, 429],
} as const;

/**
 * Data of `message`: the entry as `GET /conversations/{uuid}` lists it, with its cursor. Includes the visitor's
 * messages and their answers, also those of this client. Entries by a person and system events have a `role` other
 * than `user` and no `in_reply_to`.
 */
export const MessageEvent = z.looseObject({
  ...HistoryItem.shape,
  /** The cursor: resuming after it returns later entries. Unique within the conversation. */
  id: z.catch(z.string(), ''),
  /** For an answer, the `id` of the visitor's message; otherwise empty. */
  in_reply_to: z.catch(z.string(), ''),
});
export type MessageEvent = z.infer<typeof MessageEvent>;

/** Data of `handoff`: false while a person answers instead of the assistant. */
export const HandoffEvent = z.looseObject({ ai_enabled: z.boolean() });
export type HandoffEvent = z.infer<typeof HandoffEvent>;
