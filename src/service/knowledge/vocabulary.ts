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

/** The vocabulary for a text search configuration, if there is one. */
export function vocabularyFor(config: string): Vocabulary | undefined {
  return vocabularies[config];
}
