/**
 * Encodes a path parameter.
 *
 * @throws {TypeError} for an empty one and for dots, which `fetch` removes from the path: it would call another operation
 */
export function pathSegment(text: string): string {
  if (/^\.?\.?$/.test(text)) throw new TypeError('Invalid ID.');
  return encodeURIComponent(text);
}
