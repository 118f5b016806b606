/** Deepest nesting of a body. A few levels are plenty; thousands would exhaust a validator's stack. */
export const maximumDepth = 64;

/** Walks level by level, not by recursion: the input decides how deep it goes. */
export function isDeeperThan(value: unknown, depth: number): boolean {
  let level: unknown[] = [value];
  for (let passed = 0; passed <= depth; passed++) {
    level = level.flatMap((item): unknown[] =>
      typeof item === 'object' && item !== null ? Object.values(item) : [],
    );
    if (level.length === 0) return false;
  }
  return true;
}
