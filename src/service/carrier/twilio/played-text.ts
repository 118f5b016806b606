/*
 * The relay reports spoken text with different spaces and possibly different punctuation, so texts are compared by
 * their letters and digits.
 */

const isSpoken = (character: string) => /[\p{L}\p{N}]/u.test(character);

const spokenCharacters = (text: string): string[] => Array.from(text.toLowerCase()).filter(isSpoken);

/** The number of letters and digits in a text. */
export const spokenLength = (text: string): number => spokenCharacters(text).length;

/** Returns the start of a text with `spoken` letters and digits, and the punctuation that follows them. */
export function beginningOf(text: string, spoken: number): string {
  if (spoken <= 0) return '';
  let left = spoken;
  let beginning = '';
  for (const character of text) {
    if (left === 0 && (isSpoken(character) || /\s/.test(character))) break;
    beginning += character;
    if (isSpoken(character)) left -= 1;
  }
  return beginning;
}

/**
 * Returns the part of a text that was heard before the customer interrupted it.
 *
 * @param utterance the spoken text that the carrier reported: the whole text so far, or only its last sentence.
 * @param played the number of letters and digits that are known to have been played.
 */
export function playedUntil(text: string, utterance: string, played: number): string {
  const all = spokenCharacters(text).join('');
  const reported = spokenCharacters(utterance).join('');
  if (reported === '') return beginningOf(text, played);
  if (all.startsWith(reported)) return beginningOf(text, Math.max(reported.length, played));
  const at = all.indexOf(reported, Math.max(0, played - reported.length));
  return beginningOf(text, at < 0 ? played : at + reported.length);
}
