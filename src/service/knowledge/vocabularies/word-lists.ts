/** Parses words separated by white space. */
export function parseWords(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

/** Parses groups of terms: one group per line, with commas between its terms. */
export function parseGroups(text: string): readonly (readonly string[])[] {
  return text
    .trim()
    .split('\n')
    .map((line) => line.split(',').map((term) => term.trim()));
}
