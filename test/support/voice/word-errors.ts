/** Counts the words that were replaced, left out or added, without regard to case and punctuation. */
export function wordErrors(expected: string, given: string): number {
  const [from, to] = [words(expected), words(given)];
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (const [index, word] of from.entries()) {
    const next = [index + 1];
    for (const [at, other] of to.entries()) {
      next.push(
        Math.min((row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1, (row[at] ?? 0) + (word === other ? 0 : 1)),
      );
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}

export const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
