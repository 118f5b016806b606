import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { Chunk } from './extract/chunk-markdown.ts';

/** Chunks per query. A vector may have thousands of numbers. */
const batch = 200;

/** The vectors of chunks, and the model that created them. */
export interface Embeddings {
  model: string;
  /** Undefined for a chunk that the model's endpoint refuses. */
  vectors: (number[] | undefined)[];
}

/**
 * Stores and indexes the chunks of a document. Without vectors only full text search finds them until `embedChunks`.
 * Call it in a transaction.
 */
export async function storeChunks(
  queries: Queries,
  target: { knowledgebaseId: number; documentId: number; config: string; name: string },
  chunks: Chunk[],
  embeddings?: Embeddings,
): Promise<void> {
  const { knowledgebaseId, documentId, config, name } = target;
  const rows = chunks.map((chunk, position) => ({
    position,
    ...chunk,
    embedding: embeddings?.vectors[position] ?? null,
  }));
  for (let start = 0; start < rows.length; start += batch) {
    await queries.execute(sql`
      INSERT INTO chunks (knowledgebase_id, document_id, position, heading, body, embedding, embedding_model, search)
      SELECT ${knowledgebaseId}::integer, ${documentId}::integer, position, heading, body, embedding,
        ${embeddings?.model ?? null}::text,
        chunk_search(${config}::regconfig, heading, ${name}, body)
      FROM jsonb_to_recordset(${JSON.stringify(rows.slice(start, start + batch))}::jsonb)
        AS rows (position integer, heading text, body text, embedding real[])`);
  }
}
