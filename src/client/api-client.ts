import type * as z from 'zod/mini';
import { limits } from '../contract/limits.ts';
import { operations } from '../contract/operations.ts';
import type { Operation } from '../contract/operations.ts';
import { ApiError } from './api-error.ts';
import { ChatError } from './errors.ts';
import { Exchange } from './exchange.ts';
import { parseJson } from './parse-json.ts';
import { readText } from './read-text.ts';

export { ApiError, ChatError };

type Operations = typeof operations;

/** The names of a path's parameters. */
type ParameterOf<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParameterOf<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never;

type Part<Name extends string, Schema, IsOptional extends boolean> = Schema extends z.ZodMiniType
  ? IsOptional extends true
    ? { [Key in Name]?: z.input<Schema> }
    : { [Key in Name]: z.input<Schema> }
  : unknown;

/** What a call takes: the path's parameters, `query` and `body`, each where the operation has it. */
export type ApiInput<Described extends Operation> = {
  [Name in ParameterOf<Described['path']>]: string | number;
} & Part<'query', Described['query'], true> &
  Part<'body', Described['request'], false>;

/** Every operation of the interface as a method; `createAssistant`, `listLeads` and so on, as `/api/docs` names them. */
export type ApiClient = {
  readonly [Name in keyof Operations]: (
    ...input: object extends ApiInput<Operations[Name]>
      ? [input?: ApiInput<Operations[Name]>, options?: ApiOptions]
      : [input: ApiInput<Operations[Name]>, options?: ApiOptions]
  ) => Promise<z.output<Operations[Name]['response']>>;
};

/** What every call may be given. */
export interface ApiOptions {
  signal?: AbortSignal;
  /** For the operations that take one: repeated requests with one key are carried out once. */
  idempotencyKey?: string;
}

/** Whom a client speaks to, and as whom. */
export interface ApiClientOptions {
  /** Origin of the service, without `/api`. */
  baseUrl: string;
  /** Needed by all operations but those of visitors. Keep it on a server: it opens the whole account. */
  apiKey?: string;
  /** Longest silence of the service in milliseconds; 60,000 by default. */
  patience?: number;
}

/** The loose form of every input, for the code that serves all operations. */
type AnyInput = Record<string, unknown> & { query?: object; body?: object };

/**
 * A client for the whole interface, made of the same descriptions as the service and its documentation. For servers and
 * scripts; pages of visitors take the much smaller `ChatClient`.
 *
 * Every method rejects with an {@link ApiError} when the service refuses, and with a {@link ChatError} when no usable
 * answer came.
 */
export function createApiClient(options: ApiClientOptions): ApiClient {
  const methods = Object.entries<Operation>(operations).map(([name, operation]) => [
    name,
    (input: AnyInput = {}, more: ApiOptions = {}) => call(options, operation, input, more),
  ]);
  return Object.fromEntries(methods) as ApiClient;
}

async function call(
  { baseUrl, apiKey, patience = 60_000 }: ApiClientOptions,
  operation: Operation,
  input: AnyInput,
  { signal, idempotencyKey }: ApiOptions,
): Promise<unknown> {
  const exchange = new Exchange(patience, signal);
  return exchange.run(async () => {
    const body = bodyOf(input.body);
    const response = await fetch(addressOf(baseUrl, operation, input), {
      method: operation.method,
      headers: {
        Accept: 'application/json',
        ...(apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` }),
        ...(typeof body === 'string' ? { 'Content-Type': 'application/json' } : {}),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      ...(body !== undefined && { body }),
      signal: exchange.signal,
    });
    let text = '';
    for await (const piece of readText(response, limits.responseBody, exchange.keepAlive)) text += piece;
    const answer = parseJson(text);
    if (!response.ok) throw new ApiError(response.status, answer);
    const parsed = operation.response.safeParse(answer);
    if (parsed.success) return parsed.data;
    throw new ChatError('bad-response', 'The service gave an answer that this operation does not have.', {
      status: response.status,
      cause: parsed.error,
    });
  });
}

function addressOf(baseUrl: string, { path }: Operation, input: AnyInput): URL {
  const filled = path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const url = new URL(filled, baseUrl);
  for (const [name, value] of Object.entries(input.query ?? {})) {
    if (value !== undefined && value !== null) url.searchParams.set(name, String(value));
  }
  return url;
}

/** JSON, or a form where a file goes along. */
function bodyOf(body: object | undefined): string | FormData | undefined {
  if (body === undefined) return undefined;
  const fields = Object.entries(body as Record<string, unknown>).filter(([, value]) => value !== undefined);
  if (!fields.some(([, value]) => value instanceof Blob)) return JSON.stringify(body);
  const form = new FormData();
  for (const [name, value] of fields) {
    if (value instanceof Blob) form.set(name, value);
    else if (value !== null) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return form;
}
