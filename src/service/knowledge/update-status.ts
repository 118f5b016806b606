import { sql } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';

/**
 * Updates the status of a knowledge base after its documents changed: `processing` if any document is, else `active` if
 * any is, else `empty`. Call it in the transaction of the change.
 */
export async function updateStatus(queries: Queries, knowledgebaseId: number): Promise<void> {
  const has = (status: string) => sql`EXISTS (
    SELECT 1 FROM documents WHERE knowledgebase_id = ${knowledgebaseId} AND status = ${status})`;
  await queries.execute(sql`
    UPDATE knowledgebases SET updated_at = now(), status = CASE
      WHEN ${has('processing')} THEN 'processing' WHEN ${has('active')} THEN 'active' ELSE 'empty' END
    WHERE id = ${knowledgebaseId}`);
}
