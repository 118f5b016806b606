import { arabic } from './vocabularies/arabic.ts';
import { english } from './vocabularies/english.ts';
import { german } from './vocabularies/german.ts';

/** What the search knows of a language beyond what PostgreSQL's stemmer does. */
export interface Vocabulary {
  /** Words that say nothing of what a question is about. */
  fillers: ReadonlySet<string>;
  /**
   * Groups of terms that customers and shops use for the same thing. A term may have several words, or end in `*`,
   * which stands for any ending.
   */
  related: readonly (readonly string[])[];
  /** Other spellings of a word that the stemmer does not bring together, itself included. */
  variants?(word: string): string[];
}

const vocabularies: Record<string, Vocabulary> = { arabic, english, german };

/** The text search configuration whose function words a question has the most of; `simple` if it has none. */
export function detectConfig(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let best = { config: 'simple', count: 0 };
  for (const [config, { fillers }] of Object.entries(vocabularies)) {
    const count = words.filter((word) => fillers.has(word)).length;
    if (count > best.count) best = { config, count };
  }
  return best.config;
}

/** The vocabulary for a text search configuration, if there is one. */
export function vocabularyFor(config: string): Vocabulary | undefined {
  return vocabularies[config];
}
