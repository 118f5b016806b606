import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { FoundPassage } from './find-passages.ts';
import { findConcepts } from './find-concepts.ts';
import { detectConfig } from './vocabulary.ts';

/** How much a term counts that the visitor did not write but could have meant. */
const synonymWeight = 0.6;

/**
 * The share of a question that a passage must cover to fit. A word in the heading says more than one in the body, so
 * less is enough.
 */
const neededCoverage = { inHeading: 0.27, onlyInBody: 0.55 };

/**
 * In a smaller knowledge base the number of passages with a word says nothing about how rare the word is, so it is
 * treated as one of this size.
 */
const leastPassages = 20;

interface Row extends Record<string, unknown> {
  id: string;
  document: string;
  heading: string;
  body: string;
  coverage: number;
  in_heading: boolean;
}

/**
 * Finds the passages that fit a question, best first, by PostgreSQL's full text search. A concept counts the more the
 * fewer passages have it (as in BM25), and more in a heading than in a body.
 */
export async function findByWords(
  queries: Queries,
  knowledgebaseId: number,
  question: string,
  limit: number,
): Promise<FoundPassage[]> {
  const config = await readConfigName(queries, knowledgebaseId);
  // Without a language, words are indexed as they are: the question's own language has to do.
  const language = config === 'simple' ? detectConfig(question) : config;
  const terms = findConcepts(question, language).flatMap(({ said, synonyms, isVague }, concept) => [
    ...said.map((term) => ({ concept, term, weight: 1, vague: isVague })),
    ...synonyms.map((term) => ({ concept, term, weight: synonymWeight, vague: isVague })),
  ]);
  if (terms.length === 0) return [];
  // German writes compounds as one word, and an index without a language has words with their endings.
  const hasLongerForms = config === 'german' || config !== language;
  const { rows } = await queries.execute<Row>(sql`
    WITH given AS (
      SELECT concept, vague, rtrim(term, '*') AS term, weight, term LIKE '%*' OR (${hasLongerForms} AND length(term) > 4) AS is_prefix
      FROM jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) AS given (concept integer, term text, weight real, vague boolean)
    ), terms AS (
      SELECT concept, weight,
        (quote_literal(replace(lexeme, '\', '')) || CASE WHEN is_prefix THEN ':*' ELSE '' END)::tsquery AS query
      FROM given, unnest(to_tsvector(${language}::regconfig, term)) WHERE term NOT LIKE '% %'
      UNION ALL
      -- A phrase of which only one word is worth searching for ("where is the shop") would find anything.
      SELECT concept, weight, phraseto_tsquery(${config}::regconfig, term)
      FROM given WHERE term LIKE '% %' AND numnode(phraseto_tsquery(${config}::regconfig, term)) > 1
    ), hits AS (
      SELECT concept, id, max(weight) AS weight, max(weight * ts_rank('{0.25, 0.4, 0.4, 1}', search, query)) AS rank,
        bool_or(ts_filter(search, '{a}') @@ query) AS in_heading
      FROM terms JOIN chunks ON search @@ query
      WHERE knowledgebase_id = ${knowledgebaseId}
      GROUP BY concept, id
    ), rarity AS (
      SELECT concept, CASE WHEN vague AND count(id) = 0 THEN 0
        ELSE ln(1 + (total - greatest(1, count(id)) + 0.5) / (greatest(1, count(id)) + 0.5)) END AS idf
      FROM (SELECT DISTINCT concept, vague FROM given) AS concepts LEFT JOIN hits USING (concept),
        (SELECT greatest(${leastPassages}, count(*)) AS total FROM chunks WHERE knowledgebase_id = ${knowledgebaseId}) AS corpus
      GROUP BY concept, vague, total
    ), scores AS (
      SELECT id, sum(idf * rank) AS score, count(*) FILTER (WHERE in_heading) AS heading_concepts, bool_or(in_heading) AS in_heading,
        (sum(weight * idf) / (SELECT sum(idf) FROM rarity))::float AS coverage
      FROM hits JOIN rarity USING (concept)
      GROUP BY id
    )
    SELECT chunks.id, documents.name AS document, heading, body, coverage, in_heading
    FROM scores JOIN chunks USING (id) JOIN documents ON documents.id = document_id
    -- Better: more of the question, a heading that says little else, and (documents go from the general to the
    -- particular) an early place.
    ORDER BY score * coverage
      * (1 + 0.5 * least(1, heading_concepts::real / greatest(1, length(ts_filter(search, '{a}')))))
      * (1 + 0.1 / (1 + position)) DESC, chunks.id
    LIMIT ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    document: row.document,
    heading: row.heading,
    body: row.body,
    isRelevant: isLikely(row),
  }));
}

function isLikely({ coverage, in_heading: inHeading }: Row): boolean {
  return coverage >= (inHeading ? neededCoverage.inHeading : neededCoverage.onlyInBody);
}

async function readConfigName(queries: Queries, knowledgebaseId: number): Promise<string> {
  const { rows } = await queries.execute<{ config: string }>(
    sql`SELECT text_search_config AS config FROM knowledgebases WHERE id = ${knowledgebaseId}`,
  );
  return rows[0]?.config ?? 'simple';
}
