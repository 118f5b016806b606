import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';

/** Characters of a text that are analyzed. */
const sampleLength = 5000;

/** Least words, and least share of function words ("the", "is", "of"), for a result. */
const thresholds = { words: 15, share: 0.2 };

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
 * Sets the language of a knowledge base without one to that of its new text, and indexes its chunks again. Call it in a
 * transaction that has locked the knowledge base.
 *
 * @returns the configuration to index the text with.
 */
export async function updateLanguage(
  queries: Queries,
  { knowledgebaseId, config }: { knowledgebaseId: number; config: string },
  text: string,
): Promise<string> {
  const detected = config === 'simple' ? await detectLanguage(queries, text) : config;
  if (detected === config) return config;
  await queries.execute(
    sql`UPDATE knowledgebases SET text_search_config = ${detected} WHERE id = ${knowledgebaseId}`,
  );
  await queries.execute(sql`
    UPDATE chunks SET search = chunk_search(${detected}::regconfig, heading, documents.name, body)
    FROM documents WHERE documents.id = document_id AND chunks.knowledgebase_id = ${knowledgebaseId}`);
  return detected;
}
