import type * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { operations } from '../contract/operations.ts';
import type { Operation } from '../contract/operations.ts';
import { ApiError } from './api-error.ts';
import { ChatError } from './chat-error.ts';
import { TimedRequest } from './timed-request.ts';
import { parseJson } from './parse-json.ts';
import { pathSegment } from './path-segment.ts';
import { readApiAnswer } from './read-api-answer.ts';
import { readText } from './read-text.ts';
import { toJson } from './to-json.ts';

export { ApiError, ChatError };

type Operations = typeof operations;

/** The names of the path parameters. */
type ParameterOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

type Part<Name extends string, Schema, IsOptional extends boolean> = Schema extends z.ZodMiniType
  ? IsOptional extends true
    ? { [Key in Name]?: z.input<Schema> | undefined }
    : { [Key in Name]: z.input<Schema> }
  : unknown;

/** The input of a call: path parameters, `query` and `body`, as far as the operation has them. */
export type ApiInput<Described extends Operation> = {
  [Name in ParameterOf<Described['path']>]: string | number;
} & Part<'query', Described['query'], true> &
  Part<'body', Described['request'], false>;

/** A method for every operation, named as in the OpenAPI document: `createAssistant`, `listLeads` and so on. */
export type ApiClient = {
  readonly [Name in keyof Operations]: (
    ...input: object extends ApiInput<Operations[Name]>
      ? [input?: ApiInput<Operations[Name]>, options?: ApiOptions]
      : [input: ApiInput<Operations[Name]>, options?: ApiOptions]
  ) => Promise<z.output<Operations[Name]['response']>>;
};

/** Options of every call. */
export interface ApiOptions {
  signal?: AbortSignal | undefined;
  /** Requests with the same key are processed once, by operations that support it. */
  idempotencyKey?: string | undefined;
}

/** Options of {@link createApiClient}. */
export interface ApiClientOptions {
  /** Address of the service, without `/api`. */
  baseUrl: string;
  /**
   * Required by all operations except those for visitors. Keep it on a server: it grants access to the account, within its scopes.
   */
  apiKey?: string | undefined;
  /** Milliseconds without any data from the service before a request times out. Default: 60,000. */
  timeout?: number | undefined;
}

/** The input of any operation. */
type AnyInput = Record<string, unknown> & { query?: object; body?: object };

/**
 * Creates a client for the whole interface, from the same descriptions as the service and its documentation. For
 * servers and scripts; pages use the much smaller `ChatClient`.
 *
 * Responses are read liberally: missing or unknown fields do not make a successful request fail. The types describe
 * our service; other services may omit fields.
 *
 * Every method rejects with an {@link ApiError} if the service refuses the request, and with another {@link ChatError}
 * if there is no usable response.
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const methods = Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    (input: AnyInput = {}, more: ApiOptions = {}) => call(options, operation, input, more),
  ]);
  return Object.fromEntries(methods) as ApiClient;
}

async function call(
  { baseUrl, apiKey, timeout = 60_000 }: ApiClientOptions,
  operation: Operation,
  input: AnyInput,
  { signal, idempotencyKey }: ApiOptions,
): Promise<unknown> {
  const request = new TimedRequest(timeout, signal);
  return request.run(async () => {
    const response = await request.fetch(() => {
      const body = encodeBody(input.body);
      const headers = {
        Accept: 'application/json',
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      };
      const { method } = operation;
      return [urlOf(baseUrl, operation, input), { method, headers, ...(body !== undefined && { body }) }];
    });
    let text = '';
    for await (const chunk of readText(response, limits.responseBody, request.keepAlive)) text += chunk;
    // A success without a body, such as a 204, has no fields.
    const answer = text === '' ? {} : parseJson(text);
    if (!response.ok || isRefusal(answer)) throw new ApiError(response, answer);
    const read = readApiAnswer(operation.response, answer);
    if (read !== undefined) return read;
    throw new ChatError('bad-response', 'The response body is not the JSON that this operation returns.', {
      status: response.status,
    });
  });
}

/** Statuses differ between deployments, so the body decides. */
function isRefusal(body: unknown): boolean {
  const { status, success } = (body ?? {}) as Record<string, unknown>;
  return status === false || success === false;
}

function urlOf(baseUrl: string, { path }: Operation, input: AnyInput): string {
  const filled = path.replace(/:(\w+)/g, (_, name: string) =>
    pathSegment(String((input[name] as string | number | undefined) ?? '')),
  );
  const url = new URL(baseUrl.replace(/\/+$/, '') + filled);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return url.href;
}

/** Encodes the body as JSON, or as a form if it contains a file. */
function encodeBody(body: object | undefined): string | FormData | undefined {
  if (body === undefined) return undefined;
  const fields = Object.entries(body as Record<string, unknown>).filter(([, value]) => value !== undefined);
  if (!fields.some(([, value]) => value instanceof Blob)) return toJson(body);
  const form = new FormData();
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.set(name, value);
    else if (value !== null) form.set(name, typeof value === 'string' ? value : toJson(value));
  }
  return form;
}
