import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { Chunk } from './extract/chunk-markdown.ts';

/** Chunks that one query stores. A vector may have thousands of numbers. */
const batch = 200;

/** The meaning of chunks: the vector of each, and the model that they are of. */
export interface Embeddings {
  model: string;
  vectors: number[][];
}

/**
 * Stores the chunks of a document, searchable. Without vectors they are found by their words alone until
 * `embedChunks`. Call it in a transaction.
 */
export async function storeChunks(
  queries: Queries,
  place: { knowledgebaseId: number; documentId: number; config: string; name: string },
  chunks: Chunk[],
  embeddings?: Embeddings,
): Promise<void> {
  const { knowledgebaseId, documentId, config, name } = place;
  const given = chunks.map((chunk, position) => ({
    position,
    ...chunk,
    embedding: embeddings?.vectors[position] ?? null,
  }));
  for (let start = 0; start < given.length; start += batch) {
    await queries.execute(sql`
      INSERT INTO chunks (knowledgebase_id, document_id, position, heading, body, embedding, embedding_model, search)
      SELECT ${knowledgebaseId}::integer, ${documentId}::integer, position, heading, body, embedding,
        ${embeddings?.model ?? null}::text,
        setweight(to_tsvector(${config}::regconfig, heading), 'A')
        || setweight(to_tsvector(${config}::regconfig, ${name}), 'B')
        || setweight(to_tsvector(${config}::regconfig, body), 'D')
      FROM jsonb_to_recordset(${JSON.stringify(given.slice(start, start + batch))}::jsonb)
        AS given (position integer, heading text, body text, embedding real[])`);
  }
}
