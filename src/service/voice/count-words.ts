import { unknownWords } from './unknown-words.ts';

/** Finds words in every language: Chinese, Japanese and Thai have no spaces between them. */
export const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** Returns the number of words in a text. Speech that was not understood counts as one word. */
export function countWords(text: string): number {
  if (text === unknownWords) return 1;
  return [...wordSegmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true).length;
}
