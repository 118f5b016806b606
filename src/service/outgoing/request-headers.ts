import { OutgoingError } from './outgoing-error.ts';

/** Headers that are the connection's business, not the sender's. */
const ofConnection = new Set([
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

/** Headers that hold nothing secret, so another server than the one they were meant for may see them, too. */
const harmless = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** Who asks, unless the sender says it. */
const userAgent = 'voice-assistant-chat';

/**
 * Checks headers and takes out those that would meddle with the connection. Names come back in lower case.
 *
 * @throws OutgoingError for one that could smuggle in another.
 */
export function checkHeaders(given: Record<string, string>): Record<string, string> {
  const headers: Record<string, string> = { 'user-agent': userAgent, 'accept-encoding': 'gzip, br' };
  for (const [name, value] of Object.entries(given)) {
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name) || !/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) {
      throw new OutgoingError('bad-url', 'a header of the request has characters that no header may have');
    }
    const key = name.toLowerCase();
    if (!ofConnection.has(key) && key !== 'accept-encoding') headers[key] = value;
  }
  return headers;
}

/** What remains of them when a redirect leads to another server: its owner must not learn the first one's secrets. */
export function withoutSecrets(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => harmless.has(name) || name === 'accept-encoding'),
  );
}
