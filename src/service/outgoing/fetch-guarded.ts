import { Agent, request } from 'undici';
import type { Dispatcher } from 'undici';
import { within } from '../lib/within.ts';
import type { AllowedAddresses } from './allowed-addresses.ts';
import { guardedConnector } from './guarded-connector.ts';
import type { Lookup } from './guarded-connector.ts';
import { OutgoingError } from './outgoing-error.ts';
import { readBody } from './read-body.ts';
import { nextHop } from './redirect.ts';
import type { Hop } from './redirect.ts';
import { checkHeaders } from './request-headers.ts';

/** How a request is made. */
export interface OutgoingOptions {
  /** `GET` by default. */
  method?: string;
  /** Those of the connection (`Host`, `Content-Length` and the like) do not count. */
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  /** Longest time for everything, redirects and body included; 10 seconds by default. */
  timeoutMs?: number;
  /** Longest body of the answer, decompressed; 1 MiB by default. */
  maxBytes?: number;
  /** Whether the rest of a longer body is left out, rather than an error. */
  cutAtMaxBytes?: boolean;
  /** Redirects that are followed, 3 by default. With 0 a redirect is an answer like any other. */
  maxRedirects?: number;
  /** Gives the request up; what is thrown then is its reason. */
  signal?: AbortSignal;
}

/** What somebody else's server answered, whatever its status. */
export interface OutgoingAnswer {
  status: number;
  headers: Headers;
  /** Decompressed. */
  body: Uint8Array;
  /** The body as UTF-8. */
  text: string;
  /** The address that answered, after redirects. */
  url: string;
}

/**
 * Makes a request to an address that somebody else chose: a webhook, a tool, a page. It reaches public addresses only,
 * on every redirect too, and takes neither endless time nor endless bytes.
 *
 * @throws OutgoingError
 */
export type FetchGuarded = (url: string, options?: OutgoingOptions) => Promise<OutgoingAnswer>;

const byDefault = { timeoutMs: 10_000, maxBytes: 1_048_576, maxRedirects: 3 } as const;

/** @param lookup finds the addresses of a name; the system's resolver by default. */
export function createFetchGuarded(allowed: AllowedAddresses, lookup?: Lookup): FetchGuarded {
  const dispatcher = new Agent({ connect: guardedConnector(allowed, lookup) });
  return (url, options = {}) =>
    within(
      options.timeoutMs ?? byDefault.timeoutMs,
      options.signal ? [options.signal] : [],
      async (signal) => {
        try {
          return await follow(dispatcher, url, options, signal);
        } catch (error) {
          if (options.signal?.aborted === true) throw options.signal.reason;
          throw explain(error, signal);
        }
      },
    );
}

function explain(error: unknown, signal: AbortSignal): OutgoingError {
  if (signal.aborted) {
    return new OutgoingError('timeout', 'the server did not answer in time', { cause: error });
  }
  if (error instanceof OutgoingError) return error;
  return new OutgoingError('unreachable', 'the server could not be reached, or broke off', { cause: error });
}

async function follow(
  dispatcher: Dispatcher,
  url: string,
  options: OutgoingOptions,
  signal: AbortSignal,
): Promise<OutgoingAnswer> {
  const { method = 'GET', headers = {}, body, maxRedirects = byDefault.maxRedirects } = options;
  const limit = { maxBytes: options.maxBytes ?? byDefault.maxBytes, cut: options.cutAtMaxBytes ?? false };
  let hop: Hop = { url: checkUrl(url), method, headers: checkHeaders(headers), body };
  for (let redirects = 0; ; redirects++) {
    const answer = await request(hop.url, {
      dispatcher,
      method: hop.method,
      headers: hop.headers,
      body: hop.body ?? null,
      signal,
    });
    const next = maxRedirects > 0 ? nextHop(hop, answer) : undefined;
    if (!next) {
      const read = await readBody(answer.body, encodingOf(hop, answer), limit);
      return {
        status: answer.statusCode,
        headers: asHeaders(answer.headers),
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
    throw new OutgoingError('bad-url', 'the address is no http or https address');
  }
  if (parsed.username !== '' || parsed.password !== '') {
    throw new OutgoingError(
      'bad-url',
      'the address holds a user name or a password, which belong into a header',
    );
  }
  return parsed;
}

/** How a body was compressed; an answer without one may name a way all the same. */
function encodingOf({ method }: Hop, { statusCode, headers }: Dispatcher.ResponseData): string | undefined {
  if (method === 'HEAD' || statusCode === 204 || statusCode === 304) return undefined;
  const given = headers['content-encoding'];
  return Array.isArray(given) ? given.join(',') : given;
}

function asHeaders(given: Dispatcher.ResponseData['headers']): Headers {
  const headers = new Headers();
  for (const [name, values] of Object.entries(given)) {
    for (const value of Array.isArray(values) ? values : [values ?? '']) headers.append(name, value);
  }
  return headers;
}
