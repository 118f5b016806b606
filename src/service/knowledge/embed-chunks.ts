import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import type { Embedder } from './embedder.ts';

/** Chunks that are embedded between two looks into the database. */
const batch = 64;

/** What of a passage has a meaning. */
export const meaningOf = (document: string, heading: string, body: string): string =>
  [document, ...(heading === document ? [] : [heading]), body].join('\n');

/** Embeds the chunks that were stored without a vector, or with one of another model, until there are none. */
export async function embedChunks(queries: Queries, embedder: Embedder, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const { rows } = await queries.execute<{
      id: string;
      document: string;
      heading: string;
      body: string;
    }>(sql`
      SELECT chunks.id, documents.name AS document, heading, body
      FROM chunks JOIN documents ON documents.id = document_id
      WHERE embedding_model IS DISTINCT FROM ${embedder.model} ORDER BY chunks.id LIMIT ${batch}`);
    if (rows.length === 0) return;
    const texts = rows.map(({ document, heading, body }) => meaningOf(document, heading, body));
    const vectors = await embedder.embed(texts, { signal });
    const given = rows.map(({ id }, index) => ({ id, embedding: vectors[index] }));
    await queries.execute(sql`
      UPDATE chunks SET embedding = given.embedding, embedding_model = ${embedder.model}
      FROM jsonb_to_recordset(${JSON.stringify(given)}::jsonb) AS given (id bigint, embedding real[])
      WHERE chunks.id = given.id`);
  }
}
