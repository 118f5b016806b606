import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { withTimeout } from '../lib/with-timeout.ts';
import type { AllowedAddresses } from './allowed-addresses.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { Lookup } from './guarded-connector.ts';
import { OutgoingError } from './outgoing-error.ts';
import { readBody } from './read-body.ts';
import type { IncompleteBody } from './read-body.ts';
import { followRedirect } from './follow-redirect.ts';
import type { Hop } from './follow-redirect.ts';
import { checkHeaders } from './request-headers.ts';

/** Options of an outgoing request. */
export interface OutgoingOptions {
  /** `GET` by default. */
  method?: string;
  /** Headers of the connection (`Host`, `Content-Length` and the like) are ignored. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Time limit, redirects and body included; 10 seconds by default. */
  timeoutMs?: number;
  /** Longest response body, decompressed; 1 MiB by default. */
  maxBytes?: number;
  /** `refuse` by default. */
  incompleteBody?: IncompleteBody;
  /** Maximum number of redirects; 3 by default. With 0, a redirect is a normal response. */
  maxRedirects?: number;
  /** Aborts the request, which rejects with the signal's reason. */
  signal?: AbortSignal;
}

/** The response of another server, whatever its status. */
export interface OutgoingAnswer {
  status: number;
  headers: Headers;
  /** The headers, with the values of repeated ones not joined; names in lower case. */
  rawHeaders: Dispatcher.ResponseData['headers'];
  /** Decompressed. */
  body: Uint8Array;
  /** The body as UTF-8. */
  text: string;
  /** The final address, after redirects. */
  url: string;
}

/**
 * Makes a request to an address that a user chose: a webhook, a tool, a page. It reaches public addresses only, on
 * every redirect, with limits on time and size.
 *
 * @throws OutgoingError
 */
export type FetchGuarded = (url: string, options?: OutgoingOptions) => Promise<OutgoingAnswer>;

export const defaults = { timeoutMs: 10_000, maxBytes: 1_048_576, maxRedirects: 3 } as const;

/** @param lookup resolves host names; the system's resolver by default. */
export function createFetchGuarded(allowed: AllowedAddresses, lookup?: Lookup): FetchGuarded {
  const dispatcher = new Agent({ connect: guardedConnector(allowed, lookup) });
  return (url, options = {}) =>
    withTimeout(
      options.timeoutMs ?? defaults.timeoutMs,
      options.signal ? [options.signal] : [],
      async (signal) => {
        try {
          return await fetchFollowingRedirects(dispatcher, url, options, signal);
        } catch (error) {
          if (options.signal?.aborted === true) throw options.signal.reason;
          throw toOutgoingError(error, signal);
        }
      },
    );
}

function toOutgoingError(error: unknown, signal: AbortSignal): OutgoingError {
  if (signal.aborted) {
    return new OutgoingError('timeout', 'the server did not answer in time', { cause: error });
  }
  if (error instanceof OutgoingError) return error;
  return new OutgoingError('unreachable', 'the server could not be reached, or closed the connection', {
    cause: error,
  });
}

async function fetchFollowingRedirects(
  dispatcher: Dispatcher,
  url: string,
  options: OutgoingOptions,
  signal: AbortSignal,
): Promise<OutgoingAnswer> {
  const { method = 'GET', headers = {}, body, maxRedirects = defaults.maxRedirects } = options;
  const limit = {
    maxBytes: options.maxBytes ?? defaults.maxBytes,
    incompleteBody: options.incompleteBody ?? 'refuse',
  };
  let hop: Hop = { url: checkUrl(url), method, headers: checkHeaders(headers), body };
  for (let redirects = 0; ; redirects++) {
    const answer = await request(hop.url, {
      dispatcher,
      method: hop.method,
      headers: hop.headers,
      body: hop.body ?? null,
      signal,
    });
    const next = maxRedirects > 0 ? followRedirect(hop, answer) : undefined;
    if (!next) {
      const read = await readBody(answer.body, encodingOf(hop, answer), limit);
      return {
        status: answer.statusCode,
        headers: toHeaders(answer.headers),
        rawHeaders: answer.headers,
        body: read,
        text: new TextDecoder().decode(read),
        url: hop.url.href,
      };
    }
    answer.body.on('error', () => undefined).destroy();
    if (redirects === maxRedirects) {
      throw new OutgoingError('too-many-redirects', `the server redirects more than ${maxRedirects} times`);
    }
    hop = { ...next, url: checkUrl(next.url) };
  }
}

/** @throws OutgoingError */
function checkUrl(url: string | URL): URL {
  const parsed = URL.parse(String(url));
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    throw new OutgoingError('bad-url', 'the address is not an http or https address');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new OutgoingError('bad-url', 'the address contains a user name or password');
  }
  return parsed;
}

/** The content encoding; responses without a body may name one, too. */
function encodingOf({ method }: Hop, { statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return undefined;
  const value = headers['content-encoding'];
  return Array.isArray(value) ? value.join(',') : value;
}

function toHeaders(given: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given)) {
    for (const value of Array.isArray(values) ? values : [values ?? '']) headers.append(name, value);
  }
  return headers;
}
