import type { Queries } from '../db/database.ts';
import type { Passage } from '../engine/engine.ts';
import type { Embedder } from './embedder.ts';
import { findByMeaning } from './find-by-meaning.ts';
import { findByWords } from './find-by-words.ts';

/** A passage as a search found it. */
export interface FoundPassage extends Passage {
  /** Of its chunk. */
  id: string;
}

/** Passages that each search finds before they are put together. */
const candidates = 20;

/**
 * How little being first counts against being found by both searches: the constant of reciprocal rank fusion
 * (Cormack, Clarke and Büttcher, 2009).
 */
const rankConstant = 60;

/**
 * Finds the passages of a knowledge base that fit a question, best first: by its words, and with an embedder by its
 * meaning as well. While that is away, the words have to do.
 */
export async function findPassages(
  queries: Queries,
  knowledgebaseId: number,
  question: string,
  limit: number,
  embedder?: Embedder,
): Promise<Passage[]> {
  const vector = await embedder?.embedQuestion(question);
  if (!embedder || !vector) return findByWords(queries, knowledgebaseId, question, limit);
  const byWords = await findByWords(queries, knowledgebaseId, question, candidates);
  const byMeaning = await findByMeaning(
    queries,
    knowledgebaseId,
    { model: embedder.model, vector },
    candidates,
  );
  return fuse([byWords, byMeaning]).slice(0, limit);
}

/** Puts rankings together: a passage counts by its place in each, whatever scores that came of. */
function fuse(rankings: FoundPassage[][]): FoundPassage[] {
  const scored = new Map<string, { passage: FoundPassage; score: number }>();
  for (const ranking of rankings) {
    for (const [place, passage] of ranking.entries()) {
      const known = scored.get(passage.id) ?? { passage, score: 0 };
      known.score += 1 / (rankConstant + place + 1);
      scored.set(passage.id, known);
    }
  }
  return [...scored.values()].sort((one, other) => other.score - one.score).map(({ passage }) => passage);
}
