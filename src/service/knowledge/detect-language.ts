import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';

/** Characters of a text that are looked at. */
const sampleLength = 5000;

/** Fewer words say too little, as does a smaller share of function words ("the", "is", "of"). */
const needed = { words: 15, share: 0.2 };

/**
 * Finds the text search configuration for a text: that of the language of whose function words it has the most. They
 * are what PostgreSQL leaves out when it indexes a text of that language. `simple` if no language stands out.
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
  if (!best || best.words < needed.words) return 'simple';
  return (best.words - best.kept) / best.words >= needed.share ? best.config : 'simple';
}

/**
 * Gives a knowledge base that has no language yet the one of its new text, and indexes anew what it holds already.
 * Call it in a transaction that holds the knowledge base. @returns the configuration to index the text with.
 */
export async function settleLanguage(
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
    UPDATE chunks SET search = setweight(to_tsvector(${detected}::regconfig, heading), 'A')
      || setweight(to_tsvector(${detected}::regconfig, documents.name), 'B')
      || setweight(to_tsvector(${detected}::regconfig, body), 'D')
    FROM documents WHERE documents.id = document_id AND chunks.knowledgebase_id = ${knowledgebaseId}`);
  return detected;
}
