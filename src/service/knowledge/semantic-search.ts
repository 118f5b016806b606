import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { FoundPassage } from './find-passages.ts';

/** Share of the best passage's similarity below which others are dropped. */
const minShare = 0.6;

/** Cosine similarity below which a passage is unrelated, whatever the model. */
const minSimilarity = 0.15;

/**
 * Largest knowledge base, in passages, that is searched without pgvector. With vectors of 1,536 numbers, that takes
 * about two seconds.
 */
const maxWithoutPgvector = 5000;

interface Row extends Record<string, unknown> {
  id: string;
  document: string;
  heading: string;
  body: string;
  similarity: number;
}

/**
 * Finds the passages whose meaning is most similar to a question's, best first. Uses the extension pgvector if the
 * database has it (PGlite does). Plain PostgreSQL is about twenty times slower, and returns nothing for large knowledge
 * bases.
 *
 * Passages are never marked as relevant: the threshold depends on the model.
 */
export async function semanticSearch(
  queries: Queries,
  knowledgebaseId: number,
  { model, vector }: { model: string; vector: number[] },
  limit: number,
): Promise<FoundPassage[]> {
  const queryVector = sql`${`{${vector.join(',')}}`}::real[]`;
  // Vectors have unit length, so the inner product is the cosine.
  const usesPgvector = await hasPgvector(queries);
  const isComparable = sql`knowledgebase_id = ${knowledgebaseId} AND embedding_model = ${model}`;
  if (!usesPgvector && (await isTooLarge(queries, isComparable))) return [];
  const similarity = usesPgvector
    ? sql`-(embedding::vector <#> ${queryVector}::vector)`
    : sql`(SELECT sum(one * other)::float FROM unnest(embedding, ${queryVector}) AS pairs (one, other))`;
  const { rows } = await queries.execute<Row>(sql`
    SELECT chunks.id, documents.name AS document, heading, body, similarity
    FROM (
      SELECT *, ${similarity} AS similarity FROM chunks
      WHERE ${isComparable} AND cardinality(embedding) = ${vector.length}
      ORDER BY similarity DESC LIMIT ${limit}
    ) AS chunks JOIN documents ON documents.id = document_id
    ORDER BY similarity DESC, chunks.id`);
  const best = rows[0]?.similarity ?? 0;
  return rows
    .filter((row) => row.similarity >= Math.max(minSimilarity, best * minShare))
    .map(({ similarity, ...passage }) => ({ ...passage, isRelevant: false, score: similarity }));
}

async function isTooLarge(queries: Queries, isComparable: SQL): Promise<boolean> {
  const { rows } = await queries.execute(
    sql`SELECT 1 FROM chunks WHERE ${isComparable} OFFSET ${maxWithoutPgvector} LIMIT 1`,
  );
  return rows.length > 0;
}

/**
 * Installs pgvector if possible.
 *
 * @returns whether it can be used.
 */
export async function preparePgvector(queries: Queries): Promise<boolean> {
  // Checked first: creating an existing extension still needs the privilege to create one.
  if (await hasPgvector(queries)) return true;
  try {
    await queries.execute(sql`CREATE EXTENSION IF NOT EXISTS vector`);
  } catch {
    return false;
  }
  return hasPgvector(queries);
}

/** Whether statements find pgvector. It can also be in a schema that is not in the search path. */
async function hasPgvector(queries: Queries): Promise<boolean> {
  const { rows } = await queries.execute(sql`SELECT 1 WHERE to_regtype('vector') IS NOT NULL`);
  return rows.length > 0;
}
