import type { Dispatcher } from 'undici';
import { OutgoingError } from './outgoing-error.ts';
import { withoutSecrets } from './request-headers.ts';

/** One request on the way to an answer. */
export interface Hop {
  url: URL;
  method: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
}

const redirects = new Set([301, 302, 303, 307, 308]);

/**
 * The request that an answer sends on to, as browsers do it; undefined if it is no redirect. Another server than the
 * one that was asked gets no header that may hold a secret.
 *
 * @throws OutgoingError
 */
export function nextHop(
  { url, method, headers, body }: Hop,
  { statusCode, headers: answered }: Dispatcher.ResponseData,
): Hop | undefined {
  const location = answered['location'];
  if (!redirects.has(statusCode) || typeof location !== 'string') return undefined;
  const to = URL.parse(location, url.href);
  if (!to) throw new OutgoingError('bad-url', 'the server redirects to what is no address');
  const becomesGet = statusCode === 303 ? method !== 'HEAD' : statusCode <= 302 && method === 'POST';
  const next = becomesGet
    ? { method: 'GET', body: undefined, headers: withoutContentType(headers) }
    : { method, body, headers };
  if (next.body !== undefined && url.protocol === 'https:' && to.protocol === 'http:') {
    throw new OutgoingError(
      'bad-url',
      'the server redirects from https to http, where others could read along',
    );
  }
  return {
    ...next,
    url: to,
    headers: to.origin === url.origin ? next.headers : withoutSecrets(next.headers),
  };
}

function withoutContentType(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'content-type'));
}
