import { findVocabulary } from './vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';

/** A subject of a question: terms as in a vocabulary, of one word or several, with `*` for any ending. */
export interface Concept {
  /** The visitor's words. */
  words: string[];
  /** Other words for it. */
  synonyms: string[];
  /** The visitor's words in another spelling: `sleepingbag` for `sleeping bag`, or the other way round. */
  spellings?: string[];
  /** Whether a passage need not contain it: function words ("when does") and words for the business ("your shop"). */
  isFunctional: boolean;
  /** Whether it is a product with which the visitor wants to do something: "jacket" in "Can I return a jacket?". */
  isObject: boolean;
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
  const phrases = new Map(groupsOf(vocabulary).map((group) => [group, findPhrases(group, words)]));
  const inPhrases = new Set([...phrases.values()].flat().flatMap((phrase) => phrase.split(' ')));
  const single = [...new Set(words)].filter(
    (word) => !inPhrases.has(word) && !vocabulary.stopWords.has(word),
  );

  const unlisted = new Set(single.filter((word) => !isKnown(word, vocabulary)));

  const concepts: Concept[] = [];
  const remaining = new Set(single);
  let hasAction = false;
  for (const [group, found] of phrases) {
    const words = single.filter((word) =>
      group.some((term) => matches(term, word) || (unlisted.has(word) && isMisspelling(word, term))),
    );
    if (found.length + words.length === 0) continue;
    for (const word of words) remaining.delete(word);
    // Actions come before products.
    hasAction ||= vocabulary.actionGroups?.includes(group) === true;
    concepts.push({
      words: [...found, ...words],
      synonyms: group.filter((term) => !found.includes(term)),
      isCommon: false,
      isObject: hasAction && vocabulary.productGroups?.includes(group) === true,
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
      spellings: findSpellings(word, words, vocabulary.stopWords),
      isCommon: vocabulary.commonWords?.has(word) === true,
      isObject: false,
      // A single letter is an abbreviation ("u", "r"), or a size.
      isFunctional: vocabulary.businessWords.has(word) || /^\p{L}$/u.test(word),
    })),
  ];
}

/** Fewest letters of a compound; shorter words may look like one by chance. */
const minCompound = 6;

/** Fewest letters of a part of a compound. */
const minPart = 3;

/** Longest word that is split, in UTF-16 code units. */
const maxCompound = 30;

/** Returns the ways to write a word as two words, and to write it as one with the word before or after it. */
function findSpellings(word: string, words: string[], stopWords: ReadonlySet<string>): string[] {
  const spellings: string[] = [];
  if (word.length >= minCompound && word.length <= maxCompound) {
    for (let split = minPart; split <= word.length - minPart; split++)
      spellings.push(`${word.slice(0, split)} ${word.slice(split)}`);
  }
  const index = words.indexOf(word);
  const [before, after] = [words[index - 1], words[index + 1]];
  if (before !== undefined && !stopWords.has(before)) spellings.push(before + word);
  if (after !== undefined && !stopWords.has(after)) spellings.push(word + after);
  return spellings;
}

/** Finds the multi-word and compound terms of a group in a question, in the question's spelling. */
function findPhrases(group: Vocabulary['synonymGroups'][number], words: string[]): string[] {
  return group.flatMap((term) => {
    const parts = term.split(' ');
    const start =
      parts.length === 1
        ? -1
        : words.findIndex((_, index) => parts.every((part, offset) => matches(part, words[index + offset])));
    if (start >= 0) return [words.slice(start, start + parts.length).join(' ')];
    return findOtherSpelling(term, words);
  });
}

/** Finds a term in a question that puts the spaces elsewhere: "giftcard", "head lamp", "wheres my order". */
function findOtherSpelling(term: string, words: string[]): string[] {
  const letters = term.replace(/ |\*$/g, '');
  if (letters.length < minCompound || letters.includes('*')) return [];
  for (const start of words.keys()) {
    let joined = '';
    for (let end = start; joined.length < letters.length && letters.startsWith(joined); end++) {
      const word = words[end];
      if (word === undefined) break;
      joined += word;
      const isSame = term.endsWith('*') ? joined.startsWith(letters) : joined === letters;
      const isSingle = end === start && !term.includes(' ');
      if (isSame && !isSingle) return [words.slice(start, end + 1).join(' ')];
    }
  }
  return [];
}

const groupsOf = ({ synonymGroups, actionGroups = [], productGroups = [] }: Vocabulary) => [
  ...synonymGroups,
  ...actionGroups,
  ...productGroups,
];

function isKnown(word: string, vocabulary: Vocabulary): boolean {
  const { commonWords, businessWords } = vocabulary;
  return (
    commonWords?.has(word) === true ||
    businessWords.has(word) ||
    groupsOf(vocabulary).some((group) => group.some((term) => matches(term, word)))
  );
}

/** Fewest letters of a word in which a typing error is recognized. */
const minMisspelled = 5;

/**
 * Whether a word is a term with a letter too few or too many, or with two letters swapped. A different letter makes a
 * different word too often (`boats`, `boots`), and so does a different first letter.
 */
function isMisspelling(word: string, term: string): boolean {
  const isPrefix = term.endsWith('*');
  const letters = isPrefix ? term.slice(0, -1) : term;
  if (letters.includes(' ') || word.length < minMisspelled || letters.length < minMisspelled) return false;
  let same = 0;
  while (same < letters.length && word[same] === letters[same]) same++;
  if (same === 0 || (isPrefix && same >= letters.length - 1)) return false;
  const equals = (rest: string, expected: string) =>
    isPrefix ? rest.startsWith(expected) : rest === expected;
  const isMissing = letters.length > minMisspelled && equals(word.slice(same), letters.slice(same + 1));
  const isExtra = equals(word.slice(same + 1), letters.slice(same));
  const isSwapped =
    word[same] === letters[same + 1] &&
    word[same + 1] === letters[same] &&
    equals(word.slice(same + 2), letters.slice(same + 2));
  return isMissing || isExtra || isSwapped;
}

function matches(term: string, word: string | undefined): boolean {
  return term.endsWith('*') ? word?.startsWith(term.slice(0, -1)) === true : word === term;
}
