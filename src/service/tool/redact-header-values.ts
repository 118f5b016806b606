/** Headers whose values are not secret. */
const publicHeaders = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** Shorter values are not redacted: they are not secret, and would occur in any text. */
const minLength = 4;

/** Replaces a redacted value. */
export const redacted = '[hidden]';

/** A scheme and a credential. */
const schemeAndKey = /^(?:api-?key|basic|bearer|key|token) +(\S+)$/i;

/** Returns a function that redacts the values of a tool's headers in a text, and of `Bearer <key>` also the key alone. */
export function headerValueRedactor(headers: { name: string; value: string }[]): (text: string) => string {
  const secrets = headers
    .filter(({ name }) => !publicHeaders.has(name.toLowerCase()))
    .flatMap(({ value }) => [value, schemeAndKey.exec(value)?.[1] ?? ''])
    // Also as they are escaped in JSON.
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.trim().length >= minLength)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, redacted), text);
}
