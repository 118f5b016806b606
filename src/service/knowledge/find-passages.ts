import type { Queries } from '../db/database.ts';
import type { Passage } from '../engine/engine.ts';
import type { Embedder } from './embedder.ts';
import { normalizeText } from './normalize-text.ts';
import { semanticSearch } from './semantic-search.ts';
import { fullTextSearch } from './full-text-search.ts';

/** A search result. */
export interface FoundPassage extends Passage {
  /** Id of the chunk. */
  id: string;
}

/** Results of each search before they are merged. */
const candidateCount = 20;

/** The constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009). */
const rankConstant = 60;

/**
 * Finds the passages of a knowledge base that match a question, best first: by full text search and, with an embedder,
 * by semantic search too. If the embedder fails, full text search alone is used.
 */
export async function findPassages(
  queries: Queries,
  knowledgebaseId: number,
  input: string,
  limit: number,
  embedder?: Embedder,
): Promise<Passage[]> {
  const question = normalizeText(input);
  const vector = await embedder?.embedQuestion(question);
  if (!embedder || !vector) return fullTextSearch(queries, knowledgebaseId, question, limit);
  const byWords = await fullTextSearch(queries, knowledgebaseId, question, candidateCount);
  const byMeaning = await semanticSearch(
    queries,
    knowledgebaseId,
    { model: embedder.model, vector },
    candidateCount,
  );
  return fuse([byWords, byMeaning]).slice(0, limit);
}

/** Merges rankings by reciprocal rank fusion: only ranks count, since scores cannot be compared. */
function fuse(rankings: FoundPassage[][]): FoundPassage[] {
  const scored = new Map<string, { passage: FoundPassage; score: number }>();
  for (const ranking of rankings) {
    for (const [rank, passage] of ranking.entries()) {
      const entry = scored.get(passage.id) ?? { passage, score: 0 };
      entry.score += 1 / (rankConstant + rank + 1);
      scored.set(passage.id, entry);
    }
  }
  return [...scored.values()].sort((one, other) => other.score - one.score).map(({ passage }) => passage);
}
