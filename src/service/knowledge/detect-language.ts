import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';

/** Characters of a text that are analyzed. */
const sampleLength = 5000;

/** Least words, and least share of function words ("the", "is", "of"), for a result. */
const thresholds = { words: 15, share: 0.2 };

/**
 * Largest knowledge base, in passages, that is indexed again. It blocks an embedded database, and must end before a
 * statement's timeout.
 */
const maxIndexedAgain = 5000;

/**
 * Finds the text search configuration of a text's language: the one with the most function words, which are the stop
 * words of PostgreSQL's dictionaries. `simple` if no language stands out.
 */
export async function detectLanguage(queries: Queries, text: string): Promise<string> {
  const { rows } = await queries.execute<{ config: string; kept: number; words: number }>(sql`
    WITH configs AS (SELECT DISTINCT text_search_config AS config FROM languages), counted AS (
      SELECT config, (SELECT coalesce(sum(cardinality(positions)), 0)::integer
        FROM unnest(to_tsvector(config::regconfig, ${text.slice(0, sampleLength)}))) AS kept
      FROM (SELECT config FROM configs UNION SELECT 'simple') AS every
    )
    SELECT config, kept, (SELECT kept FROM counted WHERE config = 'simple') AS words
    FROM counted ORDER BY kept, config LIMIT 1`);
  const [best] = rows;
  if (!best || best.words < thresholds.words) return 'simple';
  return (best.words - best.kept) / best.words >= thresholds.share ? best.config : 'simple';
}

/**
 * Sets the language of a knowledge base to that of most of its chunks, and indexes them again if it changes: only to one
 * with twice as many, so that it does not change back and forth. That of a large base stays as it is. Without any text in
 * a language, it is `simple`. Call it in a transaction that has locked the knowledge base.
 *
 * @param added the language and number of chunks that are about to be stored.
 * @returns the configuration to index the text with.
 */
export async function updateLanguage(
  queries: Queries,
  { knowledgebaseId, config }: { knowledgebaseId: number; config: string },
  added = { config, chunks: 0 },
): Promise<string> {
  const { rows } = await queries.execute<{ config: string; chunks: number }>(sql`
    SELECT config, count(*)::integer AS chunks FROM (
      SELECT text_search_config AS config FROM chunks JOIN documents ON documents.id = document_id
      WHERE chunks.knowledgebase_id = ${knowledgebaseId}
      UNION ALL SELECT ${added.config} FROM generate_series(1, ${added.chunks}::integer)
    ) AS every
    WHERE config <> 'simple' GROUP BY config ORDER BY 2 DESC, config`);
  const [most = { config: 'simple', chunks: 0 }] = rows;
  const current = rows.find((row) => row.config === config)?.chunks ?? 0;
  if (most.config === config || most.chunks < 2 * current) return config;
  if (await isTooLarge(queries, knowledgebaseId)) return config;
  const main = most.config;
  await queries.execute(
    sql`UPDATE knowledgebases SET text_search_config = ${main} WHERE id = ${knowledgebaseId}`,
  );
  await queries.execute(sql`
    UPDATE chunks SET search = chunk_search(${main}::regconfig, heading, documents.name, body)
    FROM documents WHERE documents.id = document_id AND chunks.knowledgebase_id = ${knowledgebaseId}`);
  return main;
}

async function isTooLarge(queries: Queries, knowledgebaseId: number): Promise<boolean> {
  const { rows } = await queries.execute(
    sql`SELECT 1 FROM chunks WHERE knowledgebase_id = ${knowledgebaseId} OFFSET ${maxIndexedAgain} LIMIT 1`,
  );
  return rows.length > 0;
}

/** Forgets the language of a knowledge base without chunks. */
export async function resetLanguage(queries: Queries, knowledgebaseId: number): Promise<void> {
  await queries.execute(sql`
    UPDATE knowledgebases SET text_search_config = 'simple' WHERE id = ${knowledgebaseId}
      AND NOT EXISTS (SELECT FROM chunks WHERE knowledgebase_id = ${knowledgebaseId})`);
}
