/**
 * Like `JSON.stringify`, but ignores `toJSON` methods that a library has added to arrays and primitives. Those of
 * Prototype.js convert lists to strings.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, converted: unknown) {
    const original = this[key];
    return typeof original === 'object' && !Array.isArray(original) ? converted : original;
  });
}
