import { findOtherSpelling, findSpellings, isMisspelling } from './spelling.ts';
import { findVocabulary } from './vocabulary.ts';
import type { Vocabulary } from './vocabulary.ts';
import { unspacedStopWords } from './vocabularies/unspaced.ts';

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
  /** Whether the vocabulary knows it as a subject of customers' questions. */
  isSubject: boolean;
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
  const runs = question.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const tokens = runs.flatMap((run) => (unspaced.test(run) ? splitUnspaced(run) : run)).slice(0, wordLimit);
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
    const terms = [...found, ...words];
    if (terms.length === 0) continue;
    for (const word of words) remaining.delete(word);
    // Actions come before products.
    hasAction ||= vocabulary.actionGroups?.includes(group) === true;
    concepts.push({
      words: terms,
      synonyms: group.filter((term) => !found.includes(term)),
      isCommon: false,
      isObject: hasAction && vocabulary.productGroups?.includes(group) === true,
      isSubject: !terms.every((term) => vocabulary.businessWords.has(term)),
      isFunctional: terms.every((term) =>
        term.split(' ').every((word) => vocabulary.stopWords.has(word) || vocabulary.businessWords.has(word)),
      ),
    });
  }
  const frequent = vocabulary.commonWords ?? new Set<string>();
  return [
    ...concepts,
    ...[...remaining].map((word) => ({
      words: [word],
      synonyms: [],
      spellings: unspaced.test(word) ? [] : findSpellings(word, words, vocabulary.stopWords),
      isCommon:
        frequent.has(word) ||
        [...frequent, ...vocabulary.stopWords].some((term) => isMisspelling(word, term)),
      isObject: false,
      isSubject: false,
      // A single letter is an abbreviation ("u", "r"), or a size.
      isFunctional: vocabulary.businessWords.has(word) || (/^\p{L}$/u.test(word) && !unspaced.test(word)),
    })),
  ];
}

/** Characters of scripts without spaces between words. */
const unspaced = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Lao}\p{scx=Khmr}\p{scx=Mymr}]/u;

const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Splits text without spaces into words. Japanese particles and endings are one or two hiragana, and are dropped. */
const splitUnspaced = (run: string): string[] =>
  [...segmenter.segment(run)]
    .map(({ segment }) => segment)
    .filter((word) => !unspacedStopWords.has(word) && !/^\p{Script=Hiragana}{1,2}$/u.test(word));

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

function matches(term: string, word: string | undefined): boolean {
  return term.endsWith('*') ? word?.startsWith(term.slice(0, -1)) === true : word === term;
}
