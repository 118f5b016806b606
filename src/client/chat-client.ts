import type * as z from 'zod/mini';
import {
  FunctionCall,
  MessageDelta,
  type AnsweredMessage,
  type Conversation,
  type OpenedConversation,
} from '../contract/conversation.ts';
import type { ClientTool, ToolResult } from '../contract/client-tool-request.ts';
import type { OpenConversationRequest } from '../contract/conversation-request.ts';
import {
  deleteConversation,
  openConversation,
  readAssistantWidget,
  resumeConversation,
  sendMessage,
  stopReply,
} from '../contract/endpoints.ts';
import { limits } from '../contract/limits.ts';
import type { AssistantWidget } from '../contract/widget-settings.ts';
import { ChatError, type ChatErrorCode } from './errors.ts';
import { Exchange } from './exchange.ts';
import { readText } from './read-text.ts';
import { serviceErrorFrom } from './service-error.ts';

export { ChatError, type ChatErrorCode };
export type {
  AnsweredMessage,
  AssistantWidget,
  ClientTool,
  Conversation,
  FunctionCall,
  OpenConversationRequest,
  OpenedConversation,
  ToolResult,
};

export interface ChatClientOptions {
  /** The service's origin, or any address below which its paths (`/api/…`) begin. */
  readonly baseUrl: string;
  /** Milliseconds without a sign of life before opening, resuming or reading settings times out. Default 20,000. */
  readonly patience?: number;
  /** The same for an answer, which may need tools and a slow model. Default 60,000. */
  readonly answerPatience?: number;
}

export interface RequestOptions {
  /** Gives the request up; it rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** The same key and body give the same answer once, where the service knows such keys. */
  readonly idempotencyKey?: string | undefined;
}

/** What may go along with a message: additions of our service, which others ignore. */
export interface MessageOptions extends RequestOptions {
  /** Laid over the conversation's variables from this message on. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** Functions of the page that the assistant may ask for: a call with `client` reaches the listener. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** What such functions returned since the last message. */
  readonly toolResults?: readonly ToolResult[] | undefined;
}

export interface StreamListeners {
  /** A further piece of the answer's text. */
  readonly onDelta?: (text: string) => void;
  /** A tool that was called; comes again with its result. */
  readonly onFunctionCall?: (call: FunctionCall) => void;
}

interface Endpoint<Body extends z.core.$ZodType> {
  readonly method: string;
  readonly path: string;
  readonly response: Body & { safeParse(value: unknown): { data?: z.output<Body> } };
}

interface Call extends RequestOptions {
  readonly uuid?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly keepalive?: boolean | undefined;
}

/**
 * The conversation operations of the interface, typed. Runs in browsers and in Node. Every method rejects with a
 * {@link ChatError} and with nothing else.
 */
export class ChatClient {
  readonly #baseUrl: string;
  readonly #patience: number;
  readonly #answerPatience: number;

  constructor({ baseUrl, patience = 20_000, answerPatience = 60_000 }: ChatClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#patience = patience;
    this.#answerPatience = answerPatience;
  }

  /** `POST /conversations`: opens a conversation; its history holds the greeting, if the assistant has one. */
  openConversation(body: OpenConversationRequest, options: RequestOptions = {}): Promise<OpenedConversation> {
    return this.#json(openConversation, { ...options, body }, 'assistant-not-found');
  }

  /** `GET /conversations/{uuid}`: reads the history, oldest first. */
  resumeConversation(uuid: string, options: RequestOptions = {}): Promise<Conversation> {
    return this.#json(resumeConversation, { ...options, uuid }, 'conversation-not-found');
  }

  /** `GET /assistants/{uuid}/widget`: an addition of our service; others answer `assistant-not-found`. */
  readWidget(uuid: string, options: RequestOptions = {}): Promise<AssistantWidget> {
    return this.#json(readAssistantWidget, { ...options, uuid }, 'assistant-not-found');
  }

  /** `POST /conversations/{uuid}/messages`: sends a message and waits for the whole answer. */
  sendMessage(uuid: string, message: string, options: MessageOptions = {}): Promise<AnsweredMessage> {
    const call = { ...options, uuid, body: messageBody(message, options) };
    return this.#json(sendMessage, call, 'conversation-not-found', this.#answerPatience);
  }

  /**
   * The same, telling of the answer while it grows. A service without streaming answers with JSON; then the
   * listeners hear nothing and the whole answer comes at the end.
   */
  streamMessage(
    uuid: string,
    message: string,
    listeners: StreamListeners,
    options: MessageOptions = {},
  ): Promise<AnsweredMessage> {
    const body = messageBody(message, options);
    const call = { ...options, uuid, body, accept: 'text/event-stream, application/json;q=0.9' };
    const exchange = new Exchange(this.#answerPatience, options.signal);
    // Needed from the first answer on, and loaded while the service thinks about that.
    const loading = import('./read-event-stream.ts');
    loading.catch(() => undefined);
    return exchange.run(async () => {
      const response = await this.#fetch(sendMessage, call, exchange);
      const isStream = /^text\/event-stream\b/i.test(response.headers.get('Content-Type') ?? '');
      if (!isStream || !response.ok) {
        return readAnswer(sendMessage, response, exchange, 'conversation-not-found');
      }
      const { readEventStream } = await loading;
      for await (const { event, data } of readEventStream(
        response,
        limits.responseBody,
        exchange.keepAlive,
      )) {
        if (event === 'delta') listeners.onDelta?.(checked(MessageDelta, parseJson(data)).text);
        else if (event === 'function_call')
          listeners.onFunctionCall?.(checked(FunctionCall, parseJson(data)));
        else if (event === 'done') return checked(sendMessage.response, parseJson(data));
        else if (event === 'error') throw streamedError(data, response);
      }
      throw new ChatError('network', 'The connection broke before the answer was complete.');
    });
  }

  /**
   * `POST /conversations/{uuid}/stop`: ends the reply under way, wherever it is written; what it has said so far
   * becomes the answer. Well also where there is no reply, no conversation, or no such operation.
   */
  stopReply(uuid: string, options: RequestOptions = {}): Promise<void> {
    return this.#unlessGone(stopReply, { ...options, uuid });
  }

  /**
   * `DELETE /conversations/{uuid}`: forgets the conversation. Well also where it is gone already.
   *
   * @param options.keepalive lets the request outlive the page
   */
  deleteConversation(
    uuid: string,
    options: RequestOptions & { readonly keepalive?: boolean | undefined } = {},
  ): Promise<void> {
    return this.#unlessGone(deleteConversation, { ...options, uuid });
  }

  async #unlessGone(endpoint: typeof stopReply | typeof deleteConversation, call: Call): Promise<void> {
    try {
      await this.#json(endpoint, call, 'conversation-not-found');
    } catch (error) {
      if ((error as ChatError).code !== 'conversation-not-found') throw error;
    }
  }

  #json<Body extends z.core.$ZodType>(
    endpoint: Endpoint<Body>,
    call: Call,
    notFound: ChatErrorCode,
    patience = this.#patience,
  ): Promise<z.output<Body>> {
    const exchange = new Exchange(patience, call.signal);
    return exchange.run(async () => {
      const response = await this.#fetch(endpoint, call, exchange);
      return readAnswer(endpoint, response, exchange, notFound);
    });
  }

  async #fetch(
    endpoint: { method: string; path: string },
    call: Call,
    exchange: Exchange,
  ): Promise<Response> {
    const headers: Record<string, string> = { Accept: call.accept ?? 'application/json' };
    if (call.body !== undefined) headers['Content-Type'] = 'application/json';
    if (call.idempotencyKey !== undefined) headers['Idempotency-Key'] = call.idempotencyKey;
    const response = await fetch(
      this.#baseUrl + endpoint.path.replace(':uuid', encodeURIComponent(call.uuid ?? '')),
      {
        method: endpoint.method,
        headers,
        credentials: 'omit',
        signal: exchange.signal,
        keepalive: call.keepalive ?? false,
        ...(call.body !== undefined && { body: JSON.stringify(call.body) }),
      },
    );
    exchange.keepAlive();
    return response;
  }
}

async function readAnswer<Body extends z.core.$ZodType>(
  endpoint: Endpoint<Body>,
  response: Response,
  exchange: Exchange,
  notFound: ChatErrorCode,
): Promise<z.output<Body>> {
  let text = '';
  for await (const piece of readText(response, limits.responseBody, exchange.keepAlive)) text += piece;
  const body = parseJson(text);
  // The body decides, not the status: statuses differ between deployments.
  const answer = endpoint.response.safeParse(body).data;
  if (answer !== undefined) return answer;
  throw (
    serviceErrorFrom(body, response, notFound) ??
    new ChatError('bad-response', 'The service sent an answer that makes no sense.', {
      status: response.status,
    })
  );
}

/** JSON leaves out what is undefined. */
function messageBody(message: string, { variables, clientTools, toolResults }: MessageOptions): object {
  return { message, variables, client_tools: clientTools, tool_results: toolResults };
}

/** undefined for what is not JSON: no schema accepts it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function checked<Body extends z.core.$ZodType>(
  schema: Endpoint<Body>['response'],
  value: unknown,
): z.output<Body> {
  const { data } = schema.safeParse(value);
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
