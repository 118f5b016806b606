import { FunctionCall } from '../contract/chat-endpoints.ts';
import { limits } from '../contract/limits.ts';
import { AnsweredMessage, MessageDelta, sendMessage } from '../contract/messaging-endpoints.ts';
import {
  messageBody,
  type ConversationClient,
  type MessageOptions,
  type StreamListeners,
} from './conversation-client.ts';
import { ChatError } from './chat-error.ts';
import { parseEventData, isEventStream, readEventStream } from './event-stream.ts';
import { parseJson } from './parse-json.ts';
import { readAnswer } from './read-answer.ts';
import { serviceErrorFrom } from './service-error.ts';
import type { TimedRequest } from './timed-request.ts';
import { withProof } from './with-proof.ts';

/**
 * `POST /conversations/{uuid}/messages`: sends a message and streams the answer. If the service does not support
 * streaming, the listeners are not called; the promise resolves with the complete answer in either case.
 *
 * @throws {ChatError} for an error response, an invalid one, and a connection that breaks
 */
export function streamMessage(
  client: ConversationClient,
  uuid: string,
  message: string,
  listeners: StreamListeners,
  options: MessageOptions = {},
): Promise<AnsweredMessage> {
  const accept = 'text/event-stream, application/json;q=0.9';
  const send = (proof: string | undefined) =>
    // Settled by `done`. The request goes on until the service has closed the stream.
    new Promise<AnsweredMessage>((resolve, reject) => {
      client
        .request(
          sendMessage,
          { ...options, uuid, body: messageBody(message, options, proof), accept },
          (response, request) =>
            isEventStream(response)
              ? readReply(response, listeners, request, resolve)
              : readAnswer(sendMessage, response, request).then(resolve),
          client.answerTimeout,
        )
        .catch(reject);
    });
  return withProof(send, options.signal);
}

/** Milliseconds that a service has to close the stream after `done`. */
const closingTime = 1000;

/**
 * Reads a streamed answer until the service closes the stream after its `done` event: browsers list a request that is
 * aborted before as failed.
 *
 * @param onDone called with the answer as soon as it is complete
 */
async function readReply(
  response: Response,
  listeners: StreamListeners,
  { keepAlive }: TimedRequest,
  onDone: (answer: AnsweredMessage) => void,
): Promise<void> {
  let { characters, functionCalls } = limits.answer;
  let isDone = false;
  const onChunk = (): void => {
    if (!isDone) keepAlive();
  };
  for await (const { event, data } of readEventStream(response, limits.responseBody, onChunk)) {
    if (isDone) continue;
    if (event === 'delta') {
      const text = parseEventData(MessageDelta, data).text.slice(0, characters);
      characters -= text.length;
      if (text !== '') callListener(() => listeners.onDelta?.(text));
    } else if (event === 'function_call') {
      const call = parseEventData(FunctionCall, data);
      if (functionCalls-- > 0) callListener(() => listeners.onFunctionCall?.(call));
    } else if (event === 'done') {
      onDone(parseEventData(AnsweredMessage, data));
      isDone = true;
      keepAlive(closingTime);
    } else if (event === 'error') throw streamedError(data, response);
  }
  if (!isDone) throw new ChatError('network', 'The connection broke before the answer was complete.');
}

/** Calls a listener. Its error is not one of the network, after which callers send the message again. */
function callListener(listener: () => void): void {
  try {
    listener();
  } catch (cause) {
    throw new ChatError('aborted', 'A listener of the answer has thrown an error.', { cause });
  }
}

function streamedError(data: string, response: Response): ChatError {
  // The event type already marks it as an error; the body may omit `status`.
  const body = { ...(parseJson(data) as object | undefined), status: false };
  return (
    serviceErrorFrom(body, response, sendMessage.path) ??
    new ChatError('bad-response', 'The service ended its answer with an error but sent no reason.')
  );
}
