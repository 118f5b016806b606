import * as z from 'zod/mini';

/**
 * Lets a page create schemas although it has added enumerable properties to `Object.prototype`. When zod creates the
 * first schema of a kind, it enumerates its own tables with `for…in` and fails on inherited properties. So the first
 * of each kind that browsers use is created here, while those properties are not enumerable. No other script runs
 * meanwhile.
 */
export function prepareSchemas(): void {
  const added = Object.keys(Object.prototype);
  if (added.length === 0) return;
  const setEnumerable = (enumerable: boolean): void => {
    for (const name of added) Reflect.defineProperty(Object.prototype, name, { enumerable });
  };
  setEnumerable(false);
  try {
    // One expression that ends in a call with effects: builds drop schemas that nobody uses.
    z.catch(z.array(z.looseObject({ a: z.literal(''), b: z.string(), c: z.unknown() })), []).check(
      () => undefined,
    );
  } finally {
    setEnumerable(true);
  }
}
