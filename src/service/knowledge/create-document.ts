import { and, asc, count, eq, inArray } from 'drizzle-orm';
import { recordLimits } from '../../contract/limits.ts';
import type { Database, Queries } from '../db/database.ts';
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

/** The ids of documents with the same name and type. */
export interface SameDocuments {
  active: number[];
  /** Those that are `processing` or `failed`. */
  inactive: number[];
}

/**
 * Adds a document to a knowledge base. It is `processing` until the job `process-document` has made it searchable.
 *
 * @param replaced the documents that it replaces, from {@link findSameDocuments}. The inactive ones are deleted now, the
 *   active ones once it is active.
 * @throws Refusal if there is no such knowledge base, or it is full.
 */
export async function createDocument(
  database: Database,
  jobs: Jobs,
  base: OwnedKnowledgebase,
  document: NewDocument,
  replaced: SameDocuments = { active: [], inactive: [] },
) {
  const maximum = recordLimits.knowledgebase.documents;
  const field = document.type === 'website' ? 'url' : 'file';
  const documentId = await database.db.transaction(async (tx) => {
    await lockKnowledgebase(tx, base);
    await tx.delete(documents).where(inArray(documents.id, replaced.inactive));
    const [existing] = await tx
      .select({ documents: count() })
      .from(documents)
      .where(eq(documents.knowledgebaseId, base.id));
    if ((existing?.documents ?? 0) - replaced.active.length >= maximum) {
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
    await tx.insert(documentSources).values({ documentId: id, replaces: replaced.active, ...source });
    await updateStatus(tx, base.id);
    await jobs.send('process-document', { documentId: id, userId: base.userId }, { tx });
    return id;
  });
  return readDocument(database, { documentId, base });
}

/**
 * Returns the documents with the name and the type of a new one. Locks their knowledge base, so that they stay the same
 * until the end of the transaction.
 *
 * @throws Refusal if there is no such knowledge base.
 */
export async function findSameDocuments(
  queries: Queries,
  base: OwnedKnowledgebase,
  document: NewDocument,
): Promise<SameDocuments> {
  await lockKnowledgebase(queries, base);
  const { name = '' } = textColumns(document);
  const found = await queries
    .select({ id: documents.id, status: documents.status })
    .from(documents)
    .where(
      and(
        eq(documents.knowledgebaseId, base.id),
        eq(documents.name, name),
        eq(documents.type, document.type),
      ),
    )
    .orderBy(asc(documents.id));
  const ids = (isActive: boolean) =>
    found.filter(({ status }) => (status === 'active') === isActive).map(({ id }) => id);
  return { active: ids(true), inactive: ids(false) };
}
