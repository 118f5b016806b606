import { and, eq, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { documents, documentSources, knowledgebases } from '../db/schema.ts';
import { updateStatus } from './update-status.ts';

/** The document and knowledge base that chunks are stored in. */
export interface ChunkTarget {
  knowledgebaseId: number;
  documentId: number;
  /** The text search configuration of its knowledge base. */
  config: string;
  name: string;
}

/**
 * Ends the processing of a document and deletes its source, unless the document was deleted or is finished already.
 *
 * @param store stores the result in the same transaction.
 */
export async function finishDocument(
  { db }: Database,
  documentId: number,
  store: (queries: Queries, target: ChunkTarget) => Promise<void>,
): Promise<void> {
  await db.transaction(async (tx) => {
    // The knowledge base is locked first, as in every transaction that changes its documents.
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
