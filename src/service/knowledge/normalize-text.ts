/**
 * Unifies the spellings of a text that PostgreSQL's full text search would take for different words: composes accents,
 * and removes characters that are invisible within words (soft hyphen, word joiner). A zero-width space marks where a
 * long word may break, or separates words in scripts without spaces and without capitals, such as Thai and Khmer.
 */
export const normalizeText = (text: string): string =>
  text
    .normalize('NFC')
    .replace(/[\u00ad\u2060\ufeff]|(?<=\p{Ll})\u200b(?=\p{Ll})/gu, '')
    .replace(/\u200b/g, ' ');
