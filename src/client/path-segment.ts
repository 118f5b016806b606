/**
 * Encodes a path parameter.
 *
 * @throws {TypeError} for an empty one and for dots, which `fetch` removes from the path: it would call another operation
 */
export function pathSegment(value: unknown): string {
  const text = String(value ?? '');
  if (/^\.?\.?$/.test(text)) throw new TypeError(`Invalid ID: “${text}”.`);
  return encodeURIComponent(text);
}
