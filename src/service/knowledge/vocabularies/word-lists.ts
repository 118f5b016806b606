/** Reads words that stand between spaces and line breaks. */
export function parseWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Reads groups of terms: one group a line, commas between its terms. */
export function parseGroups(text: string): readonly (readonly string[])[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((term) => term.trim()));
}
