import { and, eq, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { documents, documentSources, knowledgebases } from '../db/schema.ts';
import { updateStatus } from './update-status.ts';

/** Where a document's chunks belong. */
export interface DocumentPlace {
  knowledgebaseId: number;
  documentId: number;
  /** The text search configuration of its knowledge base. */
  config: string;
  name: string;
}

/**
 * Ends the processing of a document and forgets what it was made of, unless it has been deleted or somebody else has
 * ended it.
 *
 * @param store is what comes of it, in the same transaction.
 */
export async function finishDocument(
  { db }: Database,
  documentId: number,
  store: (queries: Queries, place: DocumentPlace) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The knowledge base first, as everybody does who changes its documents.
    const [base] = await tx
      .select({ knowledgebaseId: knowledgebases.id, config: knowledgebases.textSearchConfig })
      .from(knowledgebases)
      .where(sql`id = (SELECT knowledgebase_id FROM documents WHERE id = ${documentId})`)
      .for('no key update');
    if (!base) return;
    const [document] = await tx
      .update(documents)
      .set({ updatedAt: sql`now()` })
      .where(and(eq(documents.id, documentId), eq(documents.status, 'processing')))
      .returning({ name: documents.name });
    if (!document) return;
    await store(tx, { ...base, documentId, name: document.name });
    await tx.delete(documentSources).where(eq(documentSources.documentId, documentId));
    await updateStatus(tx, base.knowledgebaseId);
  });
}
