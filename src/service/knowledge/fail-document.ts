import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { documents } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { finishDocument } from './finish-document.ts';

/**
 * Marks a document as failed.
 *
 * @param failure the reason, for its owner.
 */
export const failDocument = (database: Database, documentId: number, failure: string): Promise<void> =>
  finishDocument(database, documentId, async (queries) => {
    await queries.update(documents).set({ status: 'failed', failure }).where(eq(documents.id, documentId));
  });

/**
 * Fails the documents that are still `processing` although their job is gone, because its process died at every try.
 *
 * @returns the number of failed documents.
 */
export async function failStuckDocuments({
  database,
  jobs,
}: {
  database: Database;
  jobs: Jobs;
}): Promise<number> {
  const processing = await database.db
    .select({ id: documents.id })
    .from(documents)
    .where(eq(documents.status, 'processing'));
  let failed = 0;
  for (const { id } of processing) {
    if (await jobs.isPending('process-document', { documentId: id })) continue;
    await failDocument(database, id, 'The document could not be processed.');
    failed += 1;
  }
  return failed;
}
