/**
 * `JSON.stringify`, also on pages where a library has given arrays, strings or numbers a `toJSON` of their own: that of
 * Prototype.js turns lists into strings.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, converted: unknown) {
    const original = this[key];
    return typeof original !== 'object' || Array.isArray(original) ? original : converted;
  });
}
