import { vocabularyFor } from './vocabulary.ts';

/** What to search for. */
export interface SearchWords {
  /** Words of the question that tell what it is about. */
  words: string[];
  /** Words that mean about the same as one in the question. */
  synonyms: string[];
}

/** Words of one question that are looked at; the rest of a very long one adds little. */
const wordLimit = 60;

/**
 * Picks the words of a question that are worth searching for and adds others that mean about the same, since a shop
 * writes "delivery" where its visitor says "parcel".
 *
 * @param config the text search configuration (`english`, `german`, ...), which names the language.
 */
export function searchWords(question: string, config: string): SearchWords {
  const vocabulary = vocabularyFor(config);
  const text = question.toLowerCase().replaceAll('’', "'");
  const all = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const known = new Set(all.flatMap((word) => vocabulary?.variants?.(word) ?? [word]));
  const words = [...known].filter((word) => !vocabulary?.fillers.has(word)).slice(0, wordLimit);

  const spaced = ` ${all.join(' ')} `;
  const isAskedFor = (term: string) =>
    term.endsWith('*')
      ? [...known].some((word) => word.startsWith(term.slice(0, -1)))
      : spaced.includes(` ${term} `) || known.has(term);
  const related = (vocabulary?.related ?? []).filter((group) => group.some(isAskedFor)).flat();
  const synonyms = new Set(related.flatMap((term) => term.replace('*', '').split(' ')));
  return {
    words,
    synonyms: [...synonyms].filter((term) => !known.has(term) && !vocabulary?.fillers.has(term)),
  };
}
