import { AnsweredMessage, FunctionCall, MessageDelta } from '../contract/chat-endpoints.ts';
import { limits } from '../contract/limits.ts';
import type { StreamListeners } from './conversation-client.ts';
import { ChatError } from './errors.ts';
import { parseJson } from './parse-json.ts';
import { readEventStream } from './read-event-stream.ts';
import { serviceErrorFrom } from './service-error.ts';

/**
 * Reads a streamed answer to its end.
 *
 * @param onPiece called for every piece that arrives, keep-alive comments included
 * @throws {ChatError} what the stream says, or that it makes no sense, or that it broke off
 */
export async function readReply(
  response: Response,
  listeners: StreamListeners,
  onPiece: () => void,
): Promise<AnsweredMessage> {
  for await (const { event, data } of readEventStream(response, limits.responseBody, onPiece)) {
    if (event === 'delta') listeners.onDelta?.(checked(MessageDelta, data).text);
    else if (event === 'function_call') listeners.onFunctionCall?.(checked(FunctionCall, data));
    else if (event === 'done') return checked(AnsweredMessage, data);
    else if (event === 'error') throw streamedError(data, response);
  }
  throw new ChatError('network', 'The connection broke before the answer was complete.');
}

function checked<Output>(schema: { safeParse(value: unknown): { data?: Output } }, text: string): Output {
  const { data } = schema.safeParse(parseJson(text));
  if (data === undefined) {
    throw new ChatError('bad-response', 'The service sent an event that makes no sense.');
  }
  return data;
}

function streamedError(data: string, response: Response): ChatError {
  // The event says already that it is an error.
  const body = { ...(parseJson(data) as object | undefined), status: false };
  return (
    serviceErrorFrom(body, response, 'conversation-not-found') ??
    new ChatError('bad-response', 'The service broke off its answer without a reason.')
  );
}
