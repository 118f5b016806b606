import { and, asc, eq, sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import { documents } from '../db/schema.ts';
import { wireTimestamp } from '../db/wire-timestamp.ts';
import { Refusal } from '../lib/refusal.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { resetLanguage } from './detect-language.ts';
import { lockKnowledgebase, readKnowledgebase, textColumns } from './knowledgebase.ts';
import type { KnowledgeTexts, OwnedKnowledgebase } from './knowledgebase.ts';
import { updateStatus } from './update-status.ts';

/** A document with its knowledge base and the user who requests it. */
interface OwnedDocument {
  documentId: number;
  base: OwnedKnowledgebase;
}

const isIn = ({ documentId, base }: OwnedDocument) =>
  and(eq(documents.id, documentId), eq(documents.knowledgebaseId, base.id));

const typeLabels = { website: 'Website', pdf: 'PDF', txt: 'Text', docx: 'Word' } as const;
const statusLabels = { processing: 'Processing', active: 'Active', failed: 'Failed' } as const;

/** The documents that meet a condition, oldest first (interface: "Knowledge base document"). */
async function select(queries: Queries, where: ReturnType<typeof and>) {
  const rows = await queries
    .select({
      id: documents.id,
      name: documents.name,
      description: documents.description,
      type: documents.type,
      status: documents.status,
      failure: documents.failure,
      created_at: wireTimestamp(documents.createdAt),
      updated_at: wireTimestamp(documents.updatedAt),
    })
    .from(documents)
    .where(where)
    .orderBy(asc(documents.id));
  return rows.map(({ id, name, description, type, status, failure, ...rest }) => ({
    id,
    name,
    description,
    type,
    type_label: typeLabels[type],
    status,
    status_label: statusLabels[status],
    ...(failure !== null && { failure }),
    ...rest,
  }));
}

/** @throws Refusal if there is no such knowledge base. */
export async function listDocuments(database: Database, base: OwnedKnowledgebase) {
  await readKnowledgebase(database, base);
  return select(database.db, eq(documents.knowledgebaseId, base.id));
}

/** @throws Refusal if there is no such knowledge base or document. */
export async function readDocument(database: Database, owned: OwnedDocument) {
  await readKnowledgebase(database, owned.base);
  const [found] = await select(database.db, isIn(owned));
  return found ?? notFound();
}

/**
 * Changes name and description. The name is searched, too: full text search finds it at once, semantic search after the
 * job `embed-chunks`.
 *
 * @throws Refusal if there is no such knowledge base or document.
 */
export async function updateDocument(
  database: Database,
  jobs: Jobs,
  owned: OwnedDocument,
  texts: KnowledgeTexts,
) {
  const columns = textColumns(texts);
  await database.db.transaction(async (tx) => {
    const { config } = await lockKnowledgebase(tx, owned.base);
    const [before] = await tx.select({ name: documents.name }).from(documents).where(isIn(owned));
    if (!before) notFound();
    await tx
      .update(documents)
      .set({ ...columns, updatedAt: sql`now()` })
      .where(isIn(owned));
    if (columns.name === undefined || columns.name === before.name) return;
    // Text before the first heading has the name as its heading.
    await tx.execute(sql`
      UPDATE chunks SET heading = ${columns.name}
      WHERE document_id = ${owned.documentId} AND heading = ${before.name}`);
    const { rows } = await tx.execute<{ embedded: boolean }>(sql`
      SELECT EXISTS (SELECT 1 FROM chunks
        WHERE document_id = ${owned.documentId} AND embedding_model IS NOT NULL) AS embedded`);
    await tx.execute(sql`
      UPDATE chunks SET embedding_model = NULL,
        search = chunk_search(${config}::regconfig, heading, ${columns.name}, body)
      WHERE document_id = ${owned.documentId}`);
    if (rows[0]?.embedded === true) await jobs.send('embed-chunks', {}, { tx });
  });
  const { id, name, description, type, type_label, status, status_label, failure, updated_at } =
    await readDocument(database, owned);
  return {
    id,
    name,
    description,
    type,
    type_label,
    status,
    status_label,
    ...(failure !== undefined && { failure }),
    updated_at,
  };
}

/**
 * Deletes a document with its chunks.
 *
 * @throws Refusal if there is no such knowledge base or document.
 */
export async function deleteDocument({ db }: Database, owned: OwnedDocument): Promise<void> {
  await db.transaction(async (tx) => {
    await lockKnowledgebase(tx, owned.base);
    const deleted = await tx.delete(documents).where(isIn(owned)).returning({ id: documents.id });
    if (deleted.length === 0) notFound();
    // The next document checks the language of the others: to index them again can take longer than a request.
    await resetLanguage(tx, owned.base.id);
    await updateStatus(tx, owned.base.id);
  });
}

function notFound(): never {
  throw Refusal.notFoundError('Document');
}
