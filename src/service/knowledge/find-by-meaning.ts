import { sql } from 'drizzle-orm';
import type { SQL } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { FoundPassage } from './find-passages.ts';

/** Less than this share of the best passage's likeness is something else. */
const neededShare = 0.6;

/** Less than this likeness (a cosine) has nothing to do with the question, whatever the model. */
const neededSimilarity = 0.15;

/**
 * How many passages of a knowledge base PostgreSQL compares by itself. With 1,536 numbers each that takes it about two
 * seconds, and somebody waits for the answer.
 */
const boundWithoutPgvector = 5000;

interface Row extends Record<string, unknown> {
  id: string;
  document: string;
  heading: string;
  body: string;
  similarity: number;
}

/**
 * Finds the passages whose meaning is nearest to a question's, nearest first. With the extension pgvector (PGlite has
 * it) that is quick; without it PostgreSQL multiplies by itself, about twenty times slower, and finds nothing where
 * there is too much to compare.
 *
 * They are not said to fit: how near is near enough depends on the model.
 */
export async function findByMeaning(
  queries: Queries,
  knowledgebaseId: number,
  { model, vector }: { model: string; vector: number[] },
  limit: number,
): Promise<FoundPassage[]> {
  const wanted = sql`${`{${vector.join(',')}}`}::real[]`;
  // All have the length 1, so the inner product is the cosine.
  const isQuick = await hasPgvector(queries);
  const isComparable = sql`knowledgebase_id = ${knowledgebaseId} AND embedding_model = ${model}`;
  if (!isQuick && (await isTooMuch(queries, isComparable))) return [];
  const similarity = isQuick
    ? sql`-(embedding::vector <#> ${wanted}::vector)`
    : sql`(SELECT sum(one * other)::float FROM unnest(embedding, ${wanted}) AS pairs (one, other))`;
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
    .filter((row) => row.similarity >= Math.max(neededSimilarity, best * neededShare))
    .map(({ id, document, heading, body }) => ({ id, document, heading, body, isRelevant: false }));
}

async function isTooMuch(queries: Queries, isComparable: SQL): Promise<boolean> {
  const { rows } = await queries.execute(
    sql`SELECT 1 FROM chunks WHERE ${isComparable} OFFSET ${boundWithoutPgvector} LIMIT 1`,
  );
  return rows.length > 0;
}

/** Lets a database compare vectors quickly, if it can. @returns whether it can. */
export async function preparePgvector(queries: Queries): Promise<boolean> {
  // Asked first: creating an extension that is there already still needs the right to create one.
  if (await hasPgvector(queries)) return true;
  try {
    await queries.execute(sql`CREATE EXTENSION IF NOT EXISTS vector`);
    return true;
  } catch {
    return false;
  }
}

async function hasPgvector(queries: Queries): Promise<boolean> {
  const { rows } = await queries.execute(sql`SELECT 1 FROM pg_extension WHERE extname = 'vector'`);
  return rows.length > 0;
}
