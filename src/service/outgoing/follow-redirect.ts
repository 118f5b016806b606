import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import { OutgoingError } from './outgoing-error.ts';
import { withoutSecrets } from './request-headers.ts';

/** One request of a chain of redirects. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

const redirectStatuses = new Set([301, 302, 303, 307, 308]);

/**
 * Returns the request that a redirect leads to, with the rules of browsers; undefined for other responses. Another
 * origin gets no headers that may contain secrets.
 *
 * @throws OutgoingError
 */
export function followRedirect(
  { url, method, headers, body }: Hop,
  { statusCode, headers: answered }: Dispatcher.ResponseData,
): Hop | undefined {
  const location = answered['location'];
  if (!redirectStatuses.has(statusCode) || typeof location !== 'string') return undefined;
  const target = resolveLocation(location, url.href);
  if (!target) throw new OutgoingError('bad-url', 'the server redirects to an invalid address');
  const changesToGet = statusCode === 303 ? method !== 'HEAD' : statusCode <= 302 && method === 'POST';
  const next = changesToGet
    ? { method: 'GET', body: undefined, headers: withoutContentType(headers) }
    : { method, body, headers };
  if (next.body !== undefined && url.protocol === 'https:' && target.protocol === 'http:') {
    throw new OutgoingError(
      'bad-url',
      'the server redirects from https to http, which would send the body unencrypted',
    );
  }
  return {
    ...next,
    url: target,
    headers: target.origin === url.origin ? next.headers : withoutSecrets(next.headers),
  };
}

/**
 * Resolves the address of a redirect; null if it is invalid. Like browsers, reads unescaped bytes as UTF-8 if they are.
 *
 * @param location one code unit per byte.
 */
export function resolveLocation(location: string, base: string): URL | null {
  const bytes = Buffer.from(location, 'latin1');
  return URL.parse(isUtf8(bytes) ? bytes.toString() : location, base);
}

function withoutContentType(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-type'));
}
