import { vocabularyFor } from './vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

/** One thing that a question is about: terms as in a vocabulary, of one word or several, with `*` for any ending. */
export interface Concept {
  /** What the visitor called it. */
  said: string[];
  /** What else it may be called. */
  synonyms: string[];
  /** Whether it is only asked for by function words ("when does"), which a passage need not answer. */
  isVague: boolean;
}

/** Words of one question that are looked at; the rest of a very long one adds little. */
const wordLimit = 60;

/**
 * Picks from a question what is worth searching for. Words that mean about the same make one concept, since a shop
 * writes "delivery" where its visitor says "parcel", and a passage with both is not twice as good.
 *
 * @param config the text search configuration (`english`, `german`, ...), which names the language.
 */
export function findConcepts(question: string, config: string): Concept[] {
  const vocabulary = vocabularyFor(config) ?? { fillers: new Set<string>(), related: [] };
  const all = (question.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? []).slice(0, wordLimit);
  const words = all.flatMap((word) => vocabulary.variants?.(word) ?? [word]);

  // Phrases first: in "gift voucher" the second word is not about discounts.
  const phrases = new Map(vocabulary.related.map((group) => [group, findPhrases(group, words)]));
  const inPhrases = new Set([...phrases.values()].flat().flatMap((phrase) => phrase.split(' ')));
  const single = [...new Set(words)].filter((word) => !inPhrases.has(word) && !vocabulary.fillers.has(word));

  const concepts: Concept[] = [];
  const left = new Set(single);
  for (const [group, said] of phrases) {
    const words = single.filter((word) => group.some((term) => means(term, word)));
    if (said.length + words.length === 0) continue;
    for (const word of words) left.delete(word);
    concepts.push({
      said: [...said, ...words],
      synonyms: group.filter((term) => !said.includes(term)),
      isVague: [...said, ...words].every((term) =>
        term.split(' ').every((word) => vocabulary.fillers.has(word)),
      ),
    });
  }
  return [...concepts, ...[...left].map((word) => ({ said: [word], synonyms: [], isVague: false }))];
}

/** The terms of several words that stand in a question, as the question has them. */
function findPhrases(group: Vocabulary['related'][number], words: string[]): string[] {
  return group.flatMap((term) => {
    const parts = term.split(' ');
    if (parts.length === 1) return [];
    const start = words.findIndex((_, index) =>
      parts.every((part, offset) => means(part, words[index + offset])),
    );
    return start < 0 ? [] : [words.slice(start, start + parts.length).join(' ')];
  });
}

function means(term: string, word: string | undefined): boolean {
  return term.endsWith('*') ? word?.startsWith(term.slice(0, -1)) === true : word === term;
}
