/** By language: what joins two clauses, and words that refer to the clause before. */
const words: Record<string, { conjunction: RegExp; reference: RegExp }> = {
  en: {
    conjunction: /,?\s+(?:and|plus)\s+/i,
    reference: /\b(it|its|they|them|their|that|this|these|those|one|ones)\b/i,
  },
  de: {
    conjunction: /,?\s+(?:und|sowie)\s+/i,
    // Not "Sie", which addresses the reader.
    reference: /(?<!\p{L})(er|es|ihn|ihm|ihr|sie|ihnen|davon|damit|dafür|dazu|daran|welche)(?!\p{L})/u,
  },
};

/** Most clauses of a message that are searched for separately. */
const clauseLimit = 4;

/** Splits a message at the ends of sentences and at "and". A clause may be a fragment, such as "jackets?". */
export function splitClauses(message: string, language: string): string[] {
  const conjunction = words[language]?.conjunction;
  return [...new Intl.Segmenter(language, { granularity: 'sentence' }).segment(message)]
    .flatMap(({ segment }) => (conjunction ? segment.split(conjunction) : segment))
    .map((clause) => clause.trim())
    .filter(Boolean)
    .slice(0, clauseLimit);
}

/**
 * Joins clauses that are no question of their own: one such as "how heavy is it?" to the one before, since alone it does
 * not say what it is about, and a statement to the one after it.
 */
export function joinReferences(clauses: readonly string[], language: string): string[] {
  const questions: string[] = [];
  for (const clause of clauses) {
    const isReference = words[language]?.reference.test(clause) === true;
    const before = isReference || questions.at(-1)?.endsWith('.') === true ? questions.pop() : undefined;
    questions.push(before === undefined ? clause : `${before} ${clause}`);
  }
  return questions;
}
