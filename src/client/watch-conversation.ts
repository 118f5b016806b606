import { limits } from '../contract/limits.ts';
import { resumeConversation } from '../contract/chat-endpoints.ts';
import type { ConversationClient } from './conversation-client.ts';
import { isEventStream, readEventStream } from './event-stream.ts';
import { parseJson } from './parse-json.ts';
import { readAnswer } from './read-answer.ts';

/** An event of a conversation. Its data is empty if it is not JSON. */
export interface WatchedEvent {
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Options of {@link watchConversation}. */
export interface WatchOptions {
  /** The cursor to resume after; without one the stream starts now. */
  readonly lastEventId?: string | undefined;
  readonly signal: AbortSignal;
  /** Called once the service has accepted the request. */
  readonly onOpen: () => void;
  /** @param lastEventId the latest cursor */
  readonly onEvent: (event: WatchedEvent, lastEventId: string | undefined) => void;
}

/**
 * `GET /conversations/{uuid}/events`: streams new messages, handoffs and the end of a conversation. An addition of our
 * service. Resolves when the service closes the stream; with false if it answers with something else, because it does not
 * support the operation.
 *
 * @throws {ChatError} `conversation-not-found` also if the service does not support the operation
 */
export function watchConversation(
  client: ConversationClient,
  uuid: string,
  { lastEventId, signal, onOpen, onEvent }: WatchOptions,
): Promise<boolean> {
  const query = lastEventId ? `?after=${encodeURIComponent(lastEventId)}` : '';
  return client.request(
    { method: 'GET', path: `${resumeConversation.path}/events${query}` },
    { uuid, signal, accept: 'text/event-stream' },
    async (response, request) => {
      if (!isEventStream(response)) {
        // Throws for error responses.
        if (!response.ok) await readAnswer(resumeConversation, response, request);
        return false;
      }
      onOpen();
      let latest = lastEventId;
      const events = readEventStream(response, limits.responseBody, request.keepAlive);
      for await (const { event = 'message', data, id } of events) {
        latest = id ?? latest;
        onEvent({ type: event, data: { ...(parseJson(data) as object | undefined) } }, latest);
      }
      return true;
    },
    client.answerTimeout,
  );
}
