/**
 * Unifies the spellings of a text that PostgreSQL's full text search would take for different words: composes accents,
 * and removes characters that are invisible within words (soft hyphen, word joiner). Zero-width spaces stay: in Thai and
 * Khmer they separate words.
 */
export const normalizeText = (text: string): string =>
  text.normalize('NFC').replace(/[\u00ad\u2060\ufeff]/g, '');
