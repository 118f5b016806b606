import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { chunkMarkdown } from './chunk-markdown.ts';

/** Chunks that one query stores. */
const batch = 500;

/** Cuts a document's text into chunks and stores them, searchable. Call it in a transaction. */
export async function storeChunks(
  queries: Queries,
  place: { knowledgebaseId: number; documentId: number; config: string },
  { name, markdown }: { name: string; markdown: string },
): Promise<void> {
  const { knowledgebaseId, documentId, config } = place;
  const chunks = chunkMarkdown(name, markdown).map((chunk, position) => ({ position, ...chunk }));
  for (let start = 0; start < chunks.length; start += batch) {
    await queries.execute(sql`
      INSERT INTO chunks (knowledgebase_id, document_id, position, heading, body, search)
      SELECT ${knowledgebaseId}::integer, ${documentId}::integer, position, heading, body,
        setweight(to_tsvector(${config}::regconfig, heading), 'A')
        || setweight(to_tsvector(${config}::regconfig, ${name}), 'B')
        || setweight(to_tsvector(${config}::regconfig, body), 'D')
      FROM jsonb_to_recordset(${JSON.stringify(chunks.slice(start, start + batch))}::jsonb)
        AS given (position integer, heading text, body text)`);
  }
}
