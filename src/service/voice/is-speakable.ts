/** Whether a text has words or numbers, and not only emoji or punctuation, which no voice says. */
export const isSpeakable = (text: string): boolean => /[\p{L}\p{N}]/u.test(text);
