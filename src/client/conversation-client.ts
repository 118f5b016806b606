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
import { TimedRequest } from './timed-request.ts';
import { readAnswer, type Endpoint } from './read-answer.ts';
import { pathSegment } from './path-segment.ts';
import { toJson } from './to-json.ts';

export interface ChatClientOptions {
  /** The service's origin, or any URL that the paths (`/api/…`) are appended to. */
  readonly baseUrl: string;
  /** Milliseconds without any data from the service before a request times out. Default: 20,000. */
  readonly timeout?: number | undefined;
  /** The same for sending a message, since tools and models can be slow. Default: 60,000. */
  readonly answerTimeout?: number | undefined;
}

export interface RequestOptions {
  /** Aborts the request; it rejects with the code `aborted`. */
  readonly signal?: AbortSignal | undefined;
  /** Requests with the same key and body are processed once, by services that support it. */
  readonly idempotencyKey?: string | undefined;
}

/** Optional parts of a message. Except for `signal`, they are additions of our service, which others ignore. */
export interface MessageOptions extends RequestOptions {
  /** Merged into the conversation's variables. */
  readonly variables?: object | undefined;
  /** Functions of the page that the assistant may call; such calls have `client: true`. */
  readonly clientTools?: readonly ClientTool[] | undefined;
  /** Results of client tools since the last message. */
  readonly toolResults?: readonly ToolResult[] | undefined;
}

export interface StreamListeners {
  /** Called with the next part of the answer's text. */
  readonly onDelta?: ((text: string) => void) | undefined;
  /** Called when a tool is called, and again with its result. */
  readonly onFunctionCall?: ((call: FunctionCall) => void) | undefined;
}

export interface Call extends RequestOptions {
  readonly uuid?: string;
  readonly body?: unknown;
  readonly accept?: string;
  readonly keepalive?: boolean | undefined;
}

/** The operations that every chat needs, separate from `ChatClient` to keep the initial download small. */
export class ConversationClient {
  readonly #baseUrl: string;
  readonly #timeout: number;
  /** Milliseconds without any data before sending a message times out. */
  readonly answerTimeout: number;

  constructor({ baseUrl, timeout = 20_000, answerTimeout = 60_000 }: ChatClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#timeout = timeout;
    this.answerTimeout = answerTimeout;
  }

  /** `POST /conversations`: opens a conversation. Its history contains the initial message, if there is one. */
  openConversation(body: OpenConversationRequest, options: RequestOptions = {}): Promise<OpenedConversation> {
    return this.json(openConversation, { ...options, body });
  }

  /** `GET /conversations/{uuid}`: returns the history, oldest first. */
  resumeConversation(uuid: string, options: RequestOptions = {}): Promise<Conversation> {
    return this.json(resumeConversation, { ...options, uuid });
  }

  /** Performs an operation with a JSON response. */
  json<Body extends z.core.$ZodType>(
    endpoint: Endpoint<Body>,
    call: Call,
    timeout = this.#timeout,
  ): Promise<z.output<Body>> {
    return this.request(
      endpoint,
      call,
      (response, request) => readAnswer(endpoint, response, request),
      timeout,
    );
  }

  /**
   * Sends a request and passes its response to `read`.
   *
   * @param timeout milliseconds without any data before the request times out
   * @throws {ChatError} for every failure
   */
  request<Result>(
    endpoint: { readonly method: string; readonly path: string },
    call: Call,
    read: (response: Response, request: TimedRequest) => Promise<Result>,
    timeout = this.#timeout,
  ): Promise<Result> {
    const request = new TimedRequest(timeout, call.signal);
    return request.run(async () => read(await request.fetch(() => this.#input(endpoint, call)), request));
  }

  /** The arguments of `fetch`. */
  #input(
    endpoint: { readonly method: string; readonly path: string },
    call: Call,
  ): [url: string, init: RequestInit] {
    const headers: Record<string, string> = { Accept: call.accept ?? 'application/json' };
    if (call.body !== undefined) headers['Content-Type'] = 'application/json';
    if (call.idempotencyKey !== undefined) headers['Idempotency-Key'] = call.idempotencyKey;
    return [
      this.#baseUrl + endpoint.path.replace(':uuid', () => pathSegment(call.uuid ?? '')),
      {
        method: endpoint.method,
        headers,
        // Cloudflare Workers send none and have thrown an error for this field.
        ...('credentials' in Request.prototype && { credentials: 'omit' }),
        keepalive: call.keepalive ?? false,
        ...(call.body !== undefined && { body: toJson(call.body) }),
      },
    ];
  }
}

/** The body of a message. JSON omits undefined fields. */
export function messageBody(
  message: string,
  { variables, clientTools, toolResults }: MessageOptions,
  proof: string | undefined,
): object {
  return {
    message,
    variables,
    client_tools: clientTools,
    tool_results: toolResults,
    proof_of_work: proof,
  };
}
