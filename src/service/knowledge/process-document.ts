import { and, eq, inArray } from 'drizzle-orm';
import type { Logger } from 'pino';
import type { Database } from '../db/database.ts';
import { retryDuringOutage } from '../db/retry-during-outage.ts';
import { documents, documentSources } from '../db/schema.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { FetchGuarded } from '../outgoing/fetch-guarded.ts';
import { OutgoingError } from '../outgoing/outgoing-error.ts';
import type { Chunk } from './extract/chunk-markdown.ts';
import type { Extracted } from './extract/extract.ts';
import { ExtractionError } from './extract/extraction-error.ts';
import type { Extractor } from './extract/extractor.ts';
import { detectLanguage, updateLanguage } from './detect-language.ts';
import { embeddingInput } from './embed-chunks.ts';
import type { Embedder } from './embedder.ts';
import { failDocument } from './fail-document.ts';
import { finishDocument } from './finish-document.ts';
import { storeChunks } from './store-chunks.ts';
import type { Embeddings } from './store-chunks.ts';
import { readWebsite } from './website/read-website.ts';

/** The parts of the service that process documents. */
export interface ProcessingDependencies {
  database: Database;
  jobs: Jobs;
  fetch: FetchGuarded;
  extractor: Extractor;
  embedder?: Embedder | undefined;
  log: Logger;
}

type Source = typeof documentSources.$inferSelect & Pick<typeof documents.$inferSelect, 'type' | 'name'>;

/**
 * Makes a document searchable: extracts its text and stores it in chunks. The document becomes `active`, or `failed`
 * with a reason. Has no effect on a deleted or finished document, so it may run any number of times.
 *
 * @param isLastTry whether a temporary failure, such as an unavailable website, fails the document too.
 * @throws errors after which the job should be retried.
 */
export async function processDocument(
  dependencies: ProcessingDependencies,
  documentId: number,
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<void> {
  const { database, jobs, log } = dependencies;
  const [source] = await database.db
    .select({
      documentId: documentSources.documentId,
      file: documentSources.file,
      links: documentSources.links,
      relativeLinksLimit: documentSources.relativeLinksLimit,
      replaces: documentSources.replaces,
      type: documents.type,
      name: documents.name,
    })
    .from(documentSources)
    .innerJoin(documents, eq(documents.id, documentSources.documentId))
    .where(and(eq(documents.id, documentId), eq(documents.status, 'processing')));
  if (!source) return;
  try {
    const { chunks, sample } = await extract(source, dependencies, signal, isLastTry);
    const embeddings = await embed(dependencies, source.name, chunks, signal, isLastTry);
    const store = () =>
      finishDocument(database, documentId, async (queries, target) => {
        // Their owner keeps one by giving it another name in the meantime.
        await queries
          .delete(documents)
          .where(
            and(
              inArray(documents.id, source.replaces),
              eq(documents.knowledgebaseId, target.knowledgebaseId),
              eq(documents.name, target.name),
              eq(documents.type, source.type),
            ),
          );
        const textSearchConfig = await detectLanguage(queries, sample);
        const added = { config: textSearchConfig, chunks: chunks.length };
        const config = await updateLanguage(queries, target, added);
        // The name is embedded too, and may have changed in the meantime.
        const current = target.name === source.name ? embeddings : undefined;
        const renamed = chunks.map(({ heading, body }) => ({
          heading: heading === source.name ? target.name : heading,
          body,
        }));
        await storeChunks(queries, { ...target, config }, renamed, current);
        if (dependencies.embedder && !current) await jobs.send('embed-chunks', {}, { tx: queries });
        await queries
          .update(documents)
          .set({ status: 'active', textSearchConfig })
          .where(eq(documents.id, documentId));
      });
    // An outage must not use up a try: a crawl takes minutes, and the website need not be available again.
    await retryDuringOutage(store, {
      mayRetry: () => !signal.aborted,
      onFirstFailure: (error) => {
        log.warn({ err: error, document: documentId }, 'a document could not be stored; retrying');
      },
    });
  } catch (error) {
    const isFinal =
      error instanceof ExtractionError || (error instanceof OutgoingError && !error.isTemporary) || isLastTry;
    if (signal.aborted || !isFinal) throw error;
    const failure = failureText(error);
    log.warn({ document: documentId, failure }, 'a document failed');
    await failDocument(database, documentId, failure);
  }
}

/** The reason of a failure, for the document's owner, who does not learn of errors of the service. */
function failureText(error: unknown): string | undefined {
  if (error instanceof ExtractionError) return error.message;
  if (!(error instanceof OutgoingError)) return undefined;
  const { message } = error;
  return `${message.slice(0, 1).toUpperCase()}${message.slice(1)}.`;
}

/** @throws ExtractionError, OutgoingError */
async function extract(
  { documentId, type, name, file, links, relativeLinksLimit }: Source,
  { fetch, extractor, log }: ProcessingDependencies,
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<Extracted> {
  if (type !== 'website') return extractor.extract({ type, name, bytes: file ?? new Uint8Array() }, signal);
  const website = { name, links: links ?? [], relativeLinksLimit: relativeLinksLimit ?? 0 };
  return readWebsite(website, fetch, extractor, signal, isLastTry, (url, error) => {
    // The rest of a URL may contain a secret.
    const host = URL.parse(url)?.host;
    log.warn({ document: documentId, host, failure: failureText(error) }, 'a page of a website was not read');
  });
}

/** Most chunks that are embedded before a document becomes active. The vectors of more would not fit into memory. */
const embeddingLimit = 500;

/** Returns the vectors of chunks; undefined if the job `embed-chunks` has to add them later. */
async function embed(
  { embedder, log }: ProcessingDependencies,
  name: string,
  chunks: Chunk[],
  signal: AbortSignal,
  isLastTry: boolean,
): Promise<Embeddings | undefined> {
  if (!embedder || chunks.length > embeddingLimit) return undefined;
  try {
    const texts = chunks.map(({ heading, body }) => embeddingInput(name, heading, body));
    return { model: embedder.model, vectors: await embedder.embed(texts, { signal }) };
  } catch (error) {
    if (signal.aborted || !isLastTry) throw error;
    log.warn({ err: error }, 'a document could not be embedded; only full text search finds it until it is');
    return undefined;
  }
}
