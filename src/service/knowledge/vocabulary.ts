import { arabic } from './vocabularies/arabic.ts';
import { english } from './vocabularies/english.ts';
import { german } from './vocabularies/german.ts';

/** Linguistic data that PostgreSQL's stemmer lacks. */
export interface Vocabulary {
  /** Words without a bearing on the subject of a question. */
  stopWords: ReadonlySet<string>;
  /** Frequent words of the language, which say less about the subject of a question than rare ones. */
  commonWords?: ReadonlySet<string>;
  /** Words for the business itself: in "is your shop open", the answer need not say "shop". */
  businessWords: ReadonlySet<string>;
  /**
   * Groups of terms with the same meaning for customers and shops. A term may have several words, or end in `*` for any
   * ending.
   */
  synonymGroups: readonly (readonly string[])[];
  /** Further groups: what customers do with products, and kinds of products. In "Can I return a jacket?" the first counts. */
  actionGroups?: readonly (readonly string[])[];
  productGroups?: readonly (readonly string[])[];
  /** Spellings of a word, itself included, that the stemmer does not unify. */
  variants?(word: string): string[];
}

const vocabularies: Record<string, Vocabulary> = { arabic, english, german };

/**
 * Returns the text search configuration of the language with the most stop words in a question; `simple` if it has
 * none.
 */
export function detectLanguageConfig(question: string): string {
  const words = question.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  let best = { config: 'simple', count: 0 };
  for (const [config, { stopWords: fillers }] of Object.entries(vocabularies)) {
    const count = words.filter((word) => fillers.has(word)).length;
    if (count > best.count) best = { config, count };
  }
  return best.config;
}

/** The vocabulary for a text search configuration, if there is one. */
export function findVocabulary(config: string): Vocabulary | undefined {
  return vocabularies[config];
}
