/**
 * Streams the events of a conversation (`text/event-stream`). Our addition. Events:
 *
 * - `message`: an entry was added to the history. The data is the entry as `GET /conversations/{uuid}` lists it. Its
 *   `id`, also the `id` of the event, is its cursor: resuming after it returns later entries. An answer has the `id` of
 *   the visitor's message in `in_reply_to`. Includes the visitor's messages and their answers, also those of this client.
 *   Entries by a person and system events have a `role` other than `user` and no `in_reply_to`.
 * - `handoff`: `{"ai_enabled": false}` while a person answers instead of the assistant. Sent at the start and after each
 *   change.
 * - `ended`: the conversation ended or was deleted: `{}`. The stream closes after it. Its `id` is also a cursor: resuming
 *   after it returns later entries if the conversation was resumed meanwhile, and otherwise 204, or 404 after a deletion.
 *   Both stop an `EventSource`.
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
  statuses: [200, 204, 404, 422, 429],
} as const;
