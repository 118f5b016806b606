import { eq } from 'drizzle-orm';
import type { Database } from '../db/database.ts';
import { documents } from '../db/schema.ts';
import { finishDocument } from './finish-document.ts';

/**
 * Marks a document as failed, unless it was deleted or is finished already.
 *
 * @param failure the reason, for its owner; by default, that its processing failed or was interrupted at every try.
 */
export const failDocument = (
  database: Database,
  documentId: number,
  failure = 'The document could not be processed.',
): Promise<void> =>
  finishDocument(database, documentId, async (queries) => {
    await queries.update(documents).set({ status: 'failed', failure }).where(eq(documents.id, documentId));
  });
