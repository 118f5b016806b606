import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { documents, knowledgebases } from '../db/schema.ts';
import { chunkMarkdown } from './extract/chunk-markdown.ts';
import { storeChunks } from './store-chunks.ts';
import { updateStatus } from './update-status.ts';

/**
 * Puts a Markdown text into a knowledge base under `name`, in place of an earlier one of that name. Does nothing if
 * the text is the same as before. Call it in a transaction.
 */
export async function importDocument(
  queries: Queries,
  knowledgebaseId: number,
  document: { name: string; markdown: string },
): Promise<void> {
  const { name, markdown } = document;
  const contentHash = createHash('sha256').update(markdown).digest();
  const [base] = await queries
    .select({ config: knowledgebases.textSearchConfig })
    .from(knowledgebases)
    .where(eq(knowledgebases.id, knowledgebaseId));
  if (!base)
    throw new Error(`There is no knowledge base ${knowledgebaseId} to put the document "${name}" into.`);

  const sameName = and(eq(documents.knowledgebaseId, knowledgebaseId), eq(documents.name, name));
  const [earlier] = await queries.select().from(documents).where(sameName);
  if (earlier?.contentHash?.equals(contentHash)) return;
  await queries.delete(documents).where(sameName);

  const [stored] = await queries
    .insert(documents)
    .values({ knowledgebaseId, name, type: 'txt', status: 'active', contentHash })
    .returning({ id: documents.id });
  if (!stored) throw new Error(`The document "${name}" was not stored.`);
  const place = { knowledgebaseId, documentId: stored.id, config: base.config, name };
  await storeChunks(queries, place, chunkMarkdown(name, markdown));
  await updateStatus(queries, knowledgebaseId);
}
