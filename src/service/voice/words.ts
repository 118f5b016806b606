/** Finds words in every language: Chinese, Japanese and Thai have no spaces between them. */
export const wordSegmenter = new Intl.Segmenter(undefined, { granularity: 'word' });

/** The text of an utterance whose transcription failed. */
export const unknownWords = '…';

/** Returns the number of words in a text. Speech that was not understood counts as one word. */
export function countWords(text: string): number {
  if (text === unknownWords) return 1;
  return [...wordSegmenter.segment(text)].filter(({ isWordLike }) => isWordLike === true).length;
}

/** Whether a text has words or numbers, and not only emoji or punctuation, which no voice says. */
export const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
