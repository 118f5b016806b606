/** Headers whose values are no secrets. */
const open = new Set(['accept', 'accept-language', 'content-type', 'user-agent']);

/** A shorter value is no secret worth the name, and would tear holes into any text. */
const shortest = 4;

/** Stands where a value stood. */
export const hidden = '[hidden]';

/** Takes the values of a tool's headers out of a text, and of `Bearer <key>` the key alone, too. */
export function secretHider(headers: { name: string; value: string }[]): (text: string) => string {
  const secrets = headers
    .filter(({ name }) => !open.has(name.toLowerCase()))
    .flatMap(({ value }) => [value, value.split(' ').at(-1) ?? ''])
    // As they are, and as JSON writes them.
    .flatMap((value) => [value, JSON.stringify(value).slice(1, -1)])
    .filter((value) => value.trim().length >= shortest)
    .sort((one, other) => other.length - one.length);
  return (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, hidden), text);
}
