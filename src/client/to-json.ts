/**
 * Like `JSON.stringify`, but ignores `toJSON` methods that a library has added to arrays, strings, numbers and booleans.
 * Those of Prototype.js convert lists to strings. A BigInt has no JSON without such a method.
 */
export function toJson(value: unknown): string {
  return JSON.stringify(value, function (this: Record<string, unknown>, key, converted: unknown) {
    const original = this[key];
    const isConverted = /object|bigint/.test(typeof original) && !Array.isArray(original);
    return isConverted ? converted : original;
  });
}
