import { OutgoingError } from './outgoing-error.ts';

/** Headers of the connection, which the sender cannot set. */
const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers without secrets, which another origin may receive after a redirect. */
const publicHeaders = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** The default `User-Agent`. */
const userAgent = 'voice-assistant-chat';

/**
 * Checks headers and removes those of the connection. Returns names in lower case.
 *
 * @throws OutgoingError for a header with characters that could inject another one.
 */
export function checkHeaders(input: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': userAgent, 'accept-encoding': 'gzip, br' };
  for (const [name, value] of Object.entries(input)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new OutgoingError('bad-url', 'a header of the request contains invalid characters');
    }
    const key = name.toLowerCase();
    if (!connectionHeaders.has(key) && key !== 'accept-encoding') headers[key] = value;
  }
  return headers;
}

/** Removes headers that may contain secrets, for a redirect to another origin. */
export function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => publicHeaders.has(name) || name === 'accept-encoding'),
  );
}
