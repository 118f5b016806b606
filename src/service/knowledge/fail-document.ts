import { eq, sql } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { documents } from '../db/schema.ts';
import { finishDocument } from './finish-document.ts';

/** Ends the processing of a document without a text. @param failure says why, to its owner. */
export const failDocument = (database: Database, documentId: number, failure: string): Promise<void> =>
  finishDocument(database, documentId, async (queries) => {
    await queries.update(documents).set({ status: 'failed', failure }).where(eq(documents.id, documentId));
  });

/**
 * Fails the documents whose job was given up without a word, because its process died with each try: nothing else
 * would ever end them. @returns how many.
 */
export async function failForgottenDocuments(database: Database): Promise<number> {
  const { rows } = await database.db.execute<{ id: number }>(sql`
    SELECT id FROM documents WHERE status = 'processing' AND NOT EXISTS (
      SELECT 1 FROM jobs.job WHERE name = 'process-document' AND state <= 'active'
        AND data ->> 'documentId' = documents.id::text)`);
  for (const { id } of rows) await failDocument(database, id, 'The document could not be processed.');
  return rows.length;
}
