import { createHash } from 'node:crypto';
import { and, eq } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { documents, documentSources } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { OutgoingError } from '../outgoing/outgoing-error.ts';
import { ExtractionError } from './extract/extraction-error.ts';
import { ExtractionThread } from './extract/extraction-thread.ts';
import { chunkMarkdown } from './chunk-markdown.ts';
import type { Chunk } from './chunk-markdown.ts';
import { settleLanguage } from './detect-language.ts';
import { meaningOf } from './embed-chunks.ts';
import type { Embedder } from './embedder.ts';
import { failDocument } from './fail-document.ts';
import { finishDocument } from './finish-document.ts';
import { storeChunks } from './store-chunks.ts';
import type { Embeddings } from './store-chunks.ts';
import { asSentence } from './website/as-sentence.ts';
import { readWebsite } from './website/read-website.ts';

/** What documents are processed with. */
export interface Processing {
  database: Database;
  jobs: Jobs;
  fetch: FetchGuarded;
  embedder?: Embedder | undefined;
  log: Logger;
}

type Source = typeof documentSources.$inferSelect & Pick<typeof documents.$inferSelect, 'type' | 'name'>;

/**
 * Makes a document searchable: finds its text, cuts it into chunks, stores them. It becomes `active`, or `failed` with
 * the reason. Does nothing for a document that is gone or done, so it may run any number of times.
 *
 * @param isLastTry whether a passing failure, such as a website that is away, counts as well.
 * @throws anything that may be otherwise next time.
 */
export async function processDocument(
  processing: Processing,
  documentId: number,
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<void> {
  const { database, jobs, log } = processing;
  const [source] = await database.db
    .select({
      documentId: documentSources.documentId,
      file: documentSources.file,
      links: documentSources.links,
      relativeLinksLimit: documentSources.relativeLinksLimit,
      type: documents.type,
      name: documents.name,
    })
    .from(documentSources)
    .innerJoin(documents, eq(documents.id, documentSources.documentId))
    .where(and(eq(documents.id, documentId), eq(documents.status, 'processing')));
  if (!source) return;
  try {
    const markdown = await readText(source, processing, signal, isLastTry);
    const chunks = chunkMarkdown(source.name, markdown);
    const embeddings = await embed(processing, source.name, chunks, signal, isLastTry);
    const contentHash = createHash('sha256').update(markdown).digest();
    await finishDocument(database, documentId, async (queries, place) => {
      const config = await settleLanguage(queries, place, markdown);
      // The name is part of the meaning, and may have changed meanwhile.
      const current = place.name === source.name ? embeddings : undefined;
      await storeChunks(queries, { ...place, config }, chunks, current);
      if (processing.embedder && !current) await jobs.send('embed-chunks', {}, { key: 'all', tx: queries });
      await queries
        .update(documents)
        .set({ status: 'active', contentHash })
        .where(eq(documents.id, documentId));
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof ExtractionError || isLastTry)) throw error;
    const failure = reasonOf(error);
    log.warn({ document: documentId, failure }, 'a document has failed');
    await failDocument(database, documentId, failure);
  }
}

/** Why a document failed, in words for its owner. */
function reasonOf(error: unknown): string {
  if (error instanceof ExtractionError) return error.message;
  return error instanceof OutgoingError ? asSentence(error.message) : 'The document could not be processed.';
}

/** @throws ExtractionError, OutgoingError */
async function readText(
  source: Source,
  { fetch }: Processing,
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<string> {
  const { type, file, links } = source;
  if (type === 'txt') return new TextDecoder().decode(file ?? new Uint8Array());
  await using thread = new ExtractionThread();
  if (type === 'website') {
    const website = { links: links ?? [], relativeLinksLimit: source.relativeLinksLimit ?? 0 };
    return await readWebsite(website, fetch, thread, signal, isLastTry);
  }
  return (await thread.run({ type, bytes: file ?? new Uint8Array() }, signal)).markdown;
}

/** Chunks whose vectors are made before a document is active. Those of more would not fit into memory. */
const embeddedAtOnce = 500;

/** The vectors of chunks; undefined if they are to come later, so that the words have to do until then. */
async function embed(
  { embedder, log }: Processing,
  name: string,
  chunks: Chunk[],
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<Embeddings | undefined> {
  if (!embedder || chunks.length > embeddedAtOnce) return undefined;
  try {
    const texts = chunks.map(({ heading, body }) => meaningOf(name, heading, body));
    return { model: embedder.model, vectors: await embedder.embed(texts, { signal }) };
  } catch (error) {
    if (signal.aborted || !isLastTry) throw error;
    log.warn({ err: error }, 'a document could not be embedded; its words are searched for until it can');
    return undefined;
  }
}
