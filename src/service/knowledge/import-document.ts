import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Queries } from '../db/database.ts';
import { documents, knowledgebases } from '../db/schema.ts';
import { chunkMarkdown } from './extract/chunk-markdown.ts';
import { storeChunks } from './store-chunks.ts';
import { updateStatus } from './update-status.ts';

/**
 * Adds a Markdown document to a knowledge base, replacing an earlier one of the same name. Has no effect if the text is
 * unchanged. Call it in a transaction.
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
    throw new Error(`Cannot import the document "${name}": there is no knowledge base ${knowledgebaseId}.`);

  const sameName = and(eq(documents.knowledgebaseId, knowledgebaseId), eq(documents.name, name));
  const [earlier] = await queries.select().from(documents).where(sameName);
  if (earlier?.contentHash?.equals(contentHash)) return;
  await queries.delete(documents).where(sameName);

  const [stored] = await queries
    .insert(documents)
    .values({
      knowledgebaseId,
      name,
      type: 'txt',
      status: 'active',
      contentHash,
      textSearchConfig: base.config,
    })
    .returning({ id: documents.id });
  if (!stored) throw new Error(`The document "${name}" was not stored.`);
  const target = { knowledgebaseId, documentId: stored.id, config: base.config, name };
  await storeChunks(queries, target, chunkMarkdown(name, markdown));
  await updateStatus(queries, knowledgebaseId);
}
