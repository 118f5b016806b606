import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { Passage } from '../engine/engine.ts';
import { searchWords } from './search-words.ts';

/** How much a word counts that the visitor did not write but could have meant. */
const synonymWeight = 0.5;

/** A passage without a word of the question in its heading fits if it covers at least this share of the question. */
const neededCoverage = 0.5;

interface Row extends Record<string, unknown> {
  document: string;
  heading: string;
  body: string;
  coverage: number;
  in_heading: boolean;
}

/**
 * Finds the passages that fit a question, best first, by PostgreSQL's full text search. A word counts the more the
 * fewer passages have it (as in BM25), and more in a heading than in a body.
 */
export async function findPassages(
  queries: Queries,
  knowledgebaseId: number,
  question: string,
  limit: number,
): Promise<Passage[]> {
  const config = await readConfigName(queries, knowledgebaseId);
  const { words, synonyms } = searchWords(question, config);
  if (words.length + synonyms.length === 0) return [];
  const all = [...words, ...synonyms];
  const weights = all.map((_, index) => (index < words.length ? 1 : synonymWeight));
  // German writes compounds as one word, so the beginning of a longer word counts as well.
  const suffix = config === 'german' ? ':*' : '';
  const { rows } = await queries.execute<Row>(sql`
    WITH terms AS (
      SELECT lexeme, max(weight) AS weight,
        (quote_literal(replace(lexeme, '\\', '')) || CASE WHEN length(lexeme) > 4 THEN ${suffix} ELSE '' END)::tsquery AS query
      FROM unnest(${sql.param(all)}::text[], ${sql.param(weights)}::real[]) AS words (word, weight),
        unnest(to_tsvector(${config}::regconfig, word))
      GROUP BY lexeme
    ), hits AS (
      SELECT terms.lexeme, chunks.id, ts_rank('{0.25, 0.5, 0.5, 1}', search, query) AS rank,
        ts_filter(search, '{a}') @@ query AS in_heading
      FROM terms JOIN chunks ON search @@ query
      WHERE knowledgebase_id = ${knowledgebaseId}
    ), rarity AS (
      SELECT terms.lexeme, weight,
        ln(1 + (total.chunks - count(hits.id) + 0.5) / (count(hits.id) + 0.5)) AS idf
      FROM terms LEFT JOIN hits USING (lexeme),
        (SELECT count(*) AS chunks FROM chunks WHERE knowledgebase_id = ${knowledgebaseId}) AS total
      GROUP BY terms.lexeme, weight, total.chunks
    ), scores AS (
      SELECT id, sum(weight * idf * rank) AS score, bool_or(in_heading) AS in_heading,
        sum(weight * idf) / (SELECT sum(idf) FROM rarity WHERE weight = 1) AS coverage
      FROM hits JOIN rarity USING (lexeme)
      GROUP BY id
    )
    SELECT documents.name AS document, heading, body, coalesce(coverage, 0)::float AS coverage, in_heading
    FROM scores JOIN chunks USING (id) JOIN documents ON documents.id = document_id
    ORDER BY score DESC, chunks.id
    LIMIT ${limit}`);
  return rows.map(({ document, heading, body, coverage, in_heading: inHeading }) => ({
    document,
    heading,
    body,
    fits: inHeading || coverage >= neededCoverage,
  }));
}

async function readConfigName(queries: Queries, knowledgebaseId: number): Promise<string> {
  const { rows } = await queries.execute<{ config: string }>(
    sql`SELECT text_search_config AS config FROM knowledgebases WHERE id = ${knowledgebaseId}`,
  );
  return rows[0]?.config ?? 'simple';
}
