/**
 * Like `JSON.stringify`, but ignores `toJSON` methods that a library has added to arrays, strings, numbers and booleans.
 * Those of Prototype.js convert lists to strings. A BigInt, which has no JSON, becomes a string.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, converted: unknown) {
    const original = this[key];
    if (typeof original === 'bigint') return String(original);
    return typeof original === 'object' && !Array.isArray(original) ? converted : original;
  });
}
