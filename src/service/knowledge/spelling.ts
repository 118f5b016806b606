// Visitors put spaces elsewhere ("giftcard", "head lamp") and make typing errors ("warrranty").

/** Fewest letters of a compound; shorter words may look like one by chance. */
const minCompound = 6;

/** Fewest letters of a part of a compound. */
const minPart = 3;

/** Longest word that is split, in UTF-16 code units. */
const maxCompound = 30;

/** Returns the ways to write a word as two words, and to write it as one with the word before or after it. */
export function findSpellings(word: string, words: string[], stopWords: ReadonlySet<string>): string[] {
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

/** Finds a term in a question that puts the spaces elsewhere: "giftcard", "head lamp", "wheres my order". */
export function findOtherSpelling(term: string, words: string[]): string[] {
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

/** Fewest letters of a word in which a typing error is recognized. */
const minMisspelled = 5;

/**
 * Whether a word is a term with a letter too few or too many, or with two letters swapped. A different letter makes a
 * different word too often (`boats`, `boots`), and so does a different first letter.
 */
export function isMisspelling(word: string, term: string): boolean {
  const isPrefix = term.endsWith('*');
  const letters = isPrefix ? term.slice(0, -1) : term;
  if (letters.includes(' ') || word.length < minMisspelled || letters.length < minMisspelled) return false;
  let same = 0;
  while (same < letters.length && word[same] === letters[same]) same++;
  if (same < (isPrefix ? 2 : 1) || (isPrefix && same >= letters.length - 1)) return false;
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
