import { findVocabulary } from './vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A subject of a question: terms as in a vocabulary, of one word or several, with `*` for any ending. */
export interface Concept {
  /** The visitor's words. */
  words: string[];
  /** Other words for it. */
  synonyms: string[];
  /** Whether a passage need not contain it: function words ("when does") and words for the business ("your shop"). */
  isFunctional: boolean;
  /** Whether it is a frequent word of the language, which says less about the subject than a rare one. */
  isCommon: boolean;
}

const noVocabulary: Vocabulary = { stopWords: new Set(), businessWords: new Set(), synonymGroups: [] };

/** Most words of a question that are searched. */
const wordLimit = 60;

/**
 * Extracts the concepts of a question. Synonyms are one concept: a shop writes "delivery" where its visitor writes
 * "parcel", and a passage with both is not twice as good.
 *
 * @param config the text search configuration (`english`, `german`, ...) of the language.
 */
export function findConcepts(question: string, config: string): Concept[] {
  const vocabulary = findVocabulary(config) ?? noVocabulary;
  const tokens = (question.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).slice(0, wordLimit);
  const words = tokens.flatMap((word) => vocabulary.variants?.(word) ?? [word]);

  // Phrases first: in "gift voucher" the second word is not about discounts.
  const phrases = new Map(vocabulary.synonymGroups.map((group) => [group, findPhrases(group, words)]));
  const inPhrases = new Set([...phrases.values()].flat().flatMap((phrase) => phrase.split(' ')));
  const single = [...new Set(words)].filter(
    (word) => !inPhrases.has(word) && !vocabulary.stopWords.has(word),
  );

  const concepts: Concept[] = [];
  const remaining = new Set(single);
  for (const [group, found] of phrases) {
    const words = single.filter((word) => group.some((term) => matches(term, word)));
    if (found.length + words.length === 0) continue;
    for (const word of words) remaining.delete(word);
    concepts.push({
      words: [...found, ...words],
      synonyms: group.filter((term) => !found.includes(term)),
      isCommon: false,
      isFunctional: [...found, ...words].every((term) =>
        term.split(' ').every((word) => vocabulary.stopWords.has(word) || vocabulary.businessWords.has(word)),
      ),
    });
  }
  return [
    ...concepts,
    ...[...remaining].map((word) => ({
      words: [word],
      synonyms: [],
      isCommon: vocabulary.commonWords?.has(word) === true,
      isFunctional: vocabulary.businessWords.has(word),
    })),
  ];
}

/** Finds the multi-word terms of a group in a question, in the question's spelling. */
function findPhrases(group: Vocabulary['synonymGroups'][number], words: string[]): string[] {
  return group.flatMap((term) => {
    const parts = term.split(' ');
    if (parts.length === 1) return [];
    const start = words.findIndex((_, index) =>
      parts.every((part, offset) => matches(part, words[index + offset])),
    );
    return start < 0 ? [] : [words.slice(start, start + parts.length).join(' ')];
  });
}

function matches(term: string, word: string | undefined): boolean {
  return term.endsWith('*') ? word?.startsWith(term.slice(0, -1)) === true : word === term;
}
