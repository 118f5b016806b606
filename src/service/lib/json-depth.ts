/** Deepest nesting of a body. Thousands of levels would exhaust a validator's stack. */
export const maxDepth = 64;

/** Whether a value is nested deeper than `depth`. Not recursive, since the input decides how deep it goes. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let levels = 0; levels <= depth; levels++) {
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
