import type * as z from 'zod/mini';
import type { ClientTool, ToolResult } from '../contract/client-tool.ts';
import {
  openConversation,
  resumeConversation,
  type Conversation,
  type FunctionCall,
  type OpenedConversation,
} from '../contract/chat-endpoints.ts';
import type { OpenConversationRequest } from '../contract/conversation.ts';
import type { ChatErrorCode } from './errors.ts';
import { Exchange } from './exchange.ts';
import { readAnswer, type Endpoint } from './read-answer.ts';
import { toJson } from './to-json.ts';

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

export interface Call extends RequestOptions {
  readonly uuid?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly keepalive?: boolean | undefined;
}

/** The operations that a chat needs. What else the interface offers, `ChatClient` adds. */
export class ConversationClient {
  readonly #baseUrl: string;
  readonly #patience: number;
  /** Milliseconds without a sign of life before an answer to a message times out. */
  readonly answerPatience: number;

  constructor({ baseUrl, patience = 20_000, answerPatience = 60_000 }: ChatClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#patience = patience;
    this.answerPatience = answerPatience;
  }

  /** `POST /conversations`: opens a conversation; its history holds the greeting, if the assistant has one. */
  openConversation(body: OpenConversationRequest, options: RequestOptions = {}): Promise<OpenedConversation> {
    return this.json(openConversation, { ...options, body }, 'assistant-not-found');
  }

  /** `GET /conversations/{uuid}`: reads the history, oldest first. */
  resumeConversation(uuid: string, options: RequestOptions = {}): Promise<Conversation> {
    return this.json(resumeConversation, { ...options, uuid }, 'conversation-not-found');
  }

  /**
   * Any operation that answers with JSON.
   *
   * @param notFound the code of a bare 404 at this endpoint
   */
  json<Body extends z.core.$ZodType>(
    endpoint: Endpoint<Body>,
    call: Call,
    notFound: ChatErrorCode,
    patience = this.#patience,
  ): Promise<z.output<Body>> {
    return this.request(
      endpoint,
      call,
      (response, exchange) => readAnswer(endpoint, response, exchange, notFound),
      patience,
    );
  }

  /**
   * Sends a request and passes its response to `read`.
   *
   * @param patience milliseconds without a sign of life before it times out
   * @throws {ChatError} whatever went wrong
   */
  request<Result>(
    endpoint: { readonly method: string; readonly path: string },
    call: Call,
    read: (response: Response, exchange: Exchange) => Promise<Result>,
    patience = this.#patience,
  ): Promise<Result> {
    const exchange = new Exchange(patience, call.signal);
    return exchange.run(async () => read(await this.#fetch(endpoint, call, exchange), exchange));
  }

  async #fetch(
    endpoint: { readonly method: string; readonly path: string },
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
        ...(call.body !== undefined && { body: toJson(call.body) }),
      },
    );
    exchange.keepAlive();
    return response;
  }
}

/** JSON leaves out what is undefined. */
export function messageBody(
  message: string,
  { variables, clientTools, toolResults }: MessageOptions,
): object {
  return { message, variables, client_tools: clientTools, tool_results: toolResults };
}
