import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { readText } from './read-text.ts';

/**
 * Yields the events of a `text/event-stream` body, in order.
 *
 * @param limit bytes of the whole body
 * @param onPiece called for every piece that arrives, keep-alive comments included
 */
export async function* readEventStream(
  response: Response,
  limit: number,
  onPiece: () => void,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const events: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => events.push(event) });
  for await (const text of readText(response, limit, onPiece)) {
    parser.feed(text);
    yield* events.splice(0);
  }
}
