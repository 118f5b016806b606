import { AnsweredMessage, FunctionCall, MessageDelta, sendMessage } from '../contract/chat-endpoints.ts';
import { limits } from '../contract/limits.ts';
import {
  messageBody,
  type ConversationClient,
  type MessageOptions,
  type StreamListeners,
} from './conversation-client.ts';
import { ChatError } from './errors.ts';
import { eventData, isEventStream, readEventStream } from './event-stream.ts';
import { parseJson } from './parse-json.ts';
import { readAnswer } from './read-answer.ts';
import { serviceErrorFrom } from './service-error.ts';

/**
 * `POST /conversations/{uuid}/messages`: sends a message and reports the answer while it grows. A service without
 * streaming answers with JSON; then the listeners are not called, and the whole answer comes at the end.
 *
 * @throws {ChatError} the service's refusal, or that its answer makes no sense or broke off
 */
export function streamMessage(
  client: ConversationClient,
  uuid: string,
  message: string,
  listeners: StreamListeners,
  options: MessageOptions = {},
): Promise<AnsweredMessage> {
  const body = messageBody(message, options);
  return client.request(
    sendMessage,
    { ...options, uuid, body, accept: 'text/event-stream, application/json;q=0.9' },
    (response, exchange) =>
      isEventStream(response)
        ? readReply(response, listeners, exchange.keepAlive)
        : readAnswer(sendMessage, response, exchange, 'conversation-not-found'),
    client.answerPatience,
  );
}

/**
 * Reads a streamed answer to its end.
 *
 * @param onChunk called for every chunk that arrives, keep-alive comments included
 */
async function readReply(
  response: Response,
  listeners: StreamListeners,
  onChunk: () => void,
): Promise<AnsweredMessage> {
  let { characters, functionCalls } = limits.answer;
  for await (const { event, data } of readEventStream(response, limits.responseBody, onChunk)) {
    if (event === 'delta') {
      const text = eventData(MessageDelta, data).text.slice(0, characters);
      characters -= text.length;
      if (text !== '') listeners.onDelta?.(text);
    } else if (event === 'function_call') {
      if (functionCalls-- > 0) listeners.onFunctionCall?.(eventData(FunctionCall, data));
    } else if (event === 'done') return eventData(AnsweredMessage, data);
    else if (event === 'error') throw streamedError(data, response);
  }
  throw new ChatError('network', 'The connection broke before the answer was complete.');
}

function streamedError(data: string, response: Response): ChatError {
  // The event says already that it is an error.
  const body = { ...(parseJson(data) as object | undefined), status: false };
  return (
    serviceErrorFrom(body, response, 'conversation-not-found') ??
    new ChatError('bad-response', 'The service broke off its answer without a reason.')
  );
}
