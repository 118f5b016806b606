import { count, eq } from 'drizzle-orm';
import { recordLimits } from '../../contract/limits.ts';
import type { Database } from '../db/database.ts';
import { documents, documentSources } from '../db/schema.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { readDocument } from './document.ts';
import { lockKnowledgebase, textColumns } from './knowledgebase.ts';
import type { KnowledgeTexts, OwnedKnowledgebase } from './knowledgebase.ts';
import { updateStatus } from './update-status.ts';

/** The content of a new document. */
export type NewDocument = KnowledgeTexts &
  (
    | { type: 'txt' | 'pdf' | 'docx'; file: Buffer }
    /** Start pages, and how many pages to follow from each. */
    | { type: 'website'; links: string[]; relativeLinksLimit: number }
  );

/**
 * Adds a document to a knowledge base. It is `processing` until the job `process-document` has made it searchable.
 *
 * @throws Refusal if there is no such knowledge base, or it is full.
 */
export async function createDocument(
  database: Database,
  jobs: Jobs,
  base: OwnedKnowledgebase,
  document: NewDocument,
) {
  const maximum = recordLimits.knowledgebase.documents;
  const field = document.type === 'website' ? 'url' : 'file';
  const documentId = await database.db.transaction(async (tx) => {
    await lockKnowledgebase(tx, base);
    const [existing] = await tx
      .select({ documents: count() })
      .from(documents)
      .where(eq(documents.knowledgebaseId, base.id));
    if ((existing?.documents ?? 0) >= maximum) {
      throw Refusal.invalidField(field, `A knowledge base can hold at most ${maximum} documents.`);
    }
    const [stored] = await tx
      .insert(documents)
      .values({ name: '', ...textColumns(document), knowledgebaseId: base.id, type: document.type })
      .returning({ id: documents.id });
    if (!stored) throw new Error('The document was not stored.');
    const { id } = stored;
    const source =
      document.type === 'website'
        ? { links: document.links, relativeLinksLimit: document.relativeLinksLimit }
        : { file: document.file };
    await tx.insert(documentSources).values({ documentId: id, ...source });
    await updateStatus(tx, base.id);
    await jobs.send('process-document', { documentId: id, userId: base.userId }, { tx });
    return id;
  });
  return readDocument(database, { documentId, base });
}
