import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { truncateResponse } from './truncate-response.ts';
import { ChatError } from './chat-error.ts';
import { parseJson } from './parse-json.ts';
import { readText } from './read-text.ts';

/**
 * Yields the events of a `text/event-stream` body, in order.
 *
 * @param limit bytes of the whole body
 * @param onChunk called for every chunk that arrives, keep-alive comments included
 */
export async function* readEventStream(
  response: Response,
  limit: number,
  onChunk: () => void,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for await (const text of readText(response, limit, onChunk)) {
    parser.feed(text);
    yield* events.splice(0);
  }
}

/** Whether a response is an event stream. */
export function isEventStream(response: Response): boolean {
  return response.ok && /^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? '');
}

/**
 * Parses the JSON data of an event.
 *
 * @throws {ChatError} `bad-response` if the schema rejects it
 */
export function parseEventData<Output>(
  schema: { safeParse(value: unknown): { data?: Output } },
  text: string,
): Output {
  const body = parseJson(text);
  truncateResponse(body);
  const { data } = schema.safeParse(body);
  if (data === undefined) throw new ChatError('bad-response', 'The service sent an invalid event.');
  return data;
}
