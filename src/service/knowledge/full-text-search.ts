import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { FoundPassage } from './find-passages.ts';
import { findConcepts } from './find-concepts.ts';
import type { Concept } from './find-concepts.ts';
import { detectLanguageConfig } from './vocabulary.ts';

/** Weight in the ranking of a synonym that the visitor did not write. */
const synonymWeight = 0.8;

/** Weight of a frequent word of the language, of a word for the business, and of the object of an action. */
const commonWeight = 0.5;

/**
 * Weight of a concept that no passage contains. Visitors have their own words for the contents of documents, but a subject
 * of the vocabulary without a passage is missing from the documents.
 */
const missingWeight = { word: 0.8, subject: 2 };

/**
 * Share of a question that a relevant passage must cover: less if a word is in the heading, and still less if the passage
 * is about two subjects of the vocabulary, since visitors tell stories around their questions.
 */
const minCoverage = { twoSubjects: 0.3, inHeading: 0.55, onlyInBody: 0.7 };

/** Added to the rank of every word that a passage contains: that it does matters more than where and how often. */
const presenceRank = 0.3;

/** Smaller knowledge bases are treated as if they had this many passages: word frequencies of fewer are meaningless. */
const minPassages = 20;

/** A term to search for, with the properties of its concept. */
interface SearchTerm {
  term: string;
  /** 1 for the visitor's words, less for synonyms. */
  weight: number;
  /** Whether it is another spelling of the visitor's words. */
  spelling?: true;
  /** The position of its concept in the question. All terms of a concept have the same one. */
  concept: number;
  /** Whether the concept counts only if any passage contains it: function words, and words for the business. */
  functional: boolean;
  /** Whether the vocabulary knows the concept as a subject of customers' questions. */
  subject: boolean;
  /** Whether a passage that lacks the concept can cover the whole question: frequent words beside rare ones. */
  optional: boolean;
  /** Factor of the concept's weight, beside its rarity. */
  importance: number;
}

interface Row extends Record<string, unknown> {
  id: string;
  document: string;
  heading: string;
  body: string;
  /** Share of the question that the passage covers: the weight of its concepts, of the weight of all. */
  coverage: number;
  in_heading: boolean;
  /** Number of subjects of the vocabulary that the passage is about. */
  subjects: number;
  score: number;
}

/**
 * Finds the passages that match a question, best first, with PostgreSQL's full text search. Concepts weigh more the
 * fewer passages contain them (as in BM25), and more in a heading than in a body.
 */
export async function fullTextSearch(
  queries: Queries,
  knowledgebaseId: number,
  question: string,
  limit: number,
): Promise<FoundPassage[]> {
  const config = await readConfigName(queries, knowledgebaseId);
  // An index without a language keeps words as they are; the question's own language is used.
  const language = config === 'simple' ? detectLanguageConfig(question) : config;
  const concepts = findConcepts(question, language);
  const terms = termsOf(concepts);
  if (terms.length === 0) return [];
  // German compounds are one word, and an index without a language contains inflected words.
  const needsPrefixes = config === 'german' || config !== language;
  const needsWholeWords = config !== language;
  const { rows } = await queries.execute<Row>(sql`
    WITH terms AS (
      SELECT concept, functional, subject, optional, importance, weight, spelling,
        btrim(separate_characters(rtrim(term, '*'))) AS term,
        term LIKE '%*' OR (${needsPrefixes} AND length(term) > 4) AS is_prefix
      FROM jsonb_to_recordset(${JSON.stringify(terms)}::jsonb) AS given (
        concept integer, functional boolean, subject boolean, optional boolean, importance real,
        weight real, spelling boolean, term text)
    ), term_queries AS (
      SELECT concept, weight,
        (quote_literal(lexeme) || CASE WHEN is_prefix THEN ':*' ELSE '' END)::tsquery AS query
      FROM terms, unnest(to_tsvector(${language}::regconfig, term)) WHERE term NOT LIKE '% %'
      UNION
      -- An index without a language contains whole words, and a stem may differ from the start of its word.
      SELECT concept, weight, (quote_literal(term) || CASE WHEN is_prefix THEN ':*' ELSE '' END)::tsquery
      FROM terms WHERE ${needsWholeWords} AND term NOT LIKE '% %'
      UNION ALL
      -- A phrase with a single significant word ("where is the shop") would match almost anything.
      SELECT concept, weight, phraseto_tsquery(${config}::regconfig, term)
      FROM terms WHERE term LIKE '% %' AND numnode(phraseto_tsquery(${config}::regconfig, term)) > 1
    ), hits AS (
      -- The passages that contain a concept, ranked by its best term.
      SELECT concept, id, max(weight * ts_rank('{0.25, 0.4, 0.4, 1}', search, query)) AS rank,
        bool_or(ts_filter(search, '{a}') @@ query) AS in_heading
      FROM term_queries JOIN chunks ON search @@ query
      WHERE knowledgebase_id = ${knowledgebaseId}
      GROUP BY concept, id
    ), corpus AS MATERIALIZED (
      -- Materialized: before its first ANALYZE, a planner would count again for each hit.
      SELECT greatest(${minPassages}, count(*)) AS total FROM chunks WHERE knowledgebase_id = ${knowledgebaseId}
    ), concepts AS (
      -- The language's own stop words have no lexemes.
      SELECT DISTINCT concept, functional, subject, optional, importance FROM terms
      WHERE spelling IS NULL AND (term LIKE '% %' OR length(to_tsvector(${language}::regconfig, term)) > 0)
    ), weights AS (
      -- The weight of a concept is its importance times its inverse document frequency, as in BM25.
      SELECT concept, subject, optional,
        CASE
          WHEN functional AND count(id) = 0 THEN 0
          ELSE importance
            * CASE
                WHEN count(id) > 0 THEN 1
                WHEN subject THEN ${missingWeight.subject}::float
                ELSE ${missingWeight.word}::float
              END
            * ln(1 + (total - greatest(1, count(id)) + 0.5) / (greatest(1, count(id)) + 0.5))
        END AS concept_weight
      FROM concepts LEFT JOIN hits USING (concept), corpus
      GROUP BY concept, functional, subject, optional, importance, total
    ), scores AS (
      SELECT id,
        sum(concept_weight * (rank + ${presenceRank})) AS score,
        count(*) FILTER (WHERE in_heading) AS heading_concepts,
        bool_or(in_heading) AS in_heading,
        (count(*) FILTER (WHERE subject))::integer AS subjects,
        (sum(concept_weight) / (
          (SELECT sum(concept_weight) FROM weights WHERE NOT optional)
          + coalesce(sum(concept_weight) FILTER (WHERE optional), 0)))::float AS coverage
      FROM hits JOIN weights USING (concept)
      GROUP BY id
    )
    -- Ranked higher: a heading with few other words, and an early position, since documents go from the general to the
    -- particular.
    SELECT chunks.id, documents.name AS document, heading, body, coverage, in_heading, subjects,
      score * (1 + least(1, heading_concepts::real / greatest(1, length(ts_filter(search, '{a}')))))
        * (1 + 0.1 / (1 + position)) AS score
    FROM scores JOIN chunks USING (id) JOIN documents ON documents.id = document_id
    ORDER BY score DESC, chunks.id
    LIMIT ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    document: row.document,
    heading: row.heading,
    body: row.body,
    isRelevant: isRelevantPassage(row),
    score: row.score,
  }));
}

/** The terms of the concepts of a question. */
function termsOf(concepts: readonly Concept[]): SearchTerm[] {
  const hasRareWords = concepts.some(({ isCommon, isFunctional }) => !isCommon && !isFunctional);
  return concepts.flatMap(
    ({ words, synonyms, spellings = [], isFunctional, isSubject, isCommon, isObject }, concept) => {
      const shared = {
        concept,
        functional: isFunctional,
        subject: isSubject,
        optional: isCommon && hasRareWords,
        importance: isCommon || isObject || isFunctional ? commonWeight : 1,
      };
      return [
        ...words.map((term) => ({ ...shared, term, weight: 1 })),
        ...spellings.map((term) => ({ ...shared, term, weight: 1, spelling: true as const })),
        ...synonyms.map((term) => ({ ...shared, term, weight: synonymWeight })),
      ];
    },
  );
}

function isRelevantPassage({ coverage, in_heading: inHeading, subjects }: Row): boolean {
  if (subjects >= 2) return coverage >= minCoverage.twoSubjects;
  return coverage >= (inHeading ? minCoverage.inHeading : minCoverage.onlyInBody);
}

async function readConfigName(queries: Queries, knowledgebaseId: number): Promise<string> {
  const { rows } = await queries.execute<{ config: string }>(
    sql`SELECT text_search_config AS config FROM knowledgebases WHERE id = ${knowledgebaseId}`,
  );
  return rows[0]?.config ?? 'simple';
}
