/**
 * Unifies the spellings of a text that PostgreSQL's full text search would take for different words: composes accents,
 * and removes characters that are invisible within words (soft hyphen, zero-width space, word joiner).
 */
export const normalizeText = (text: string): string =>
  text.normalize('NFC').replace(/[\u00ad\u200b\u2060\ufeff]/g, '');
