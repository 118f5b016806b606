import { randomUUID } from 'node:crypto';
import { sql } from 'drizzle-orm';
import type { Database, Queries } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { leaseEnd } from '../lib/lease.ts';
import type { Embedder } from './embedder.ts';

/** The parts of the service that embed chunks. */
export interface EmbeddingDependencies {
  database: Database;
  jobs: Jobs;
  embedder: Embedder;
}

/** Chunks per statement. */
const batch = 64;

/**
 * Lease of a process, in milliseconds: longer than the longest request and its retry. Refused requests, which are sent
 * in parts, take little of it.
 */
const leaseMs = 180_000;

/** Pause before the next check for chunks while another process holds the lease, in milliseconds. */
const pauseMs = 10_000;

/** The text of a passage that is sent to the embedding endpoint. */
export const embeddingInput = (document: string, heading: string, body: string): string =>
  [document, ...(heading === document ? [] : [heading]), body].join('\n');

/**
 * Embeds the chunks that have no vector, or one of another model. A chunk that the endpoint refuses counts as embedded,
 * without a vector, so that it does not block the others. One process does so at a time, since the endpoint may
 * charge for each text. It holds a lease, but no connection while it waits for the endpoint.
 */
export async function embedChunks(
  { database: { db }, jobs, embedder }: EmbeddingDependencies,
  signal: AbortSignal,
): Promise<void> {
  const owner = randomUUID();
  try {
    while (await takeLease(db, owner)) {
      signal.throwIfAborted();
      if (!(await embedBatch(db, embedder, signal))) return;
    }
    await jobs.send('embed-chunks', {}, { startAfter: pauseMs });
  } finally {
    await db.execute(sql`DELETE FROM embedding_leases WHERE owner = ${owner}`);
  }
}

/**
 * Takes or renews the lease.
 *
 * @returns false while another process holds it.
 */
async function takeLease(queries: Queries, owner: string): Promise<boolean> {
  const { rows } = await queries.execute(sql`
    INSERT INTO embedding_leases AS lease (owner, expires_at) VALUES (${owner}, ${leaseEnd(leaseMs)})
    ON CONFLICT (is_single) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at
    WHERE lease.owner = excluded.owner OR lease.expires_at < now() RETURNING owner`);
  return rows.length > 0;
}

/** @returns false if there is nothing left to embed. */
async function embedBatch(queries: Queries, embedder: Embedder, signal: AbortSignal): Promise<boolean> {
  const { rows } = await queries.execute<{
    id: string;
    document: string;
    heading: string;
    body: string;
  }>(sql`
    SELECT chunks.id, documents.name AS document, heading, body
    FROM chunks JOIN documents ON documents.id = document_id
    WHERE embedding_model IS DISTINCT FROM ${embedder.model} ORDER BY chunks.id LIMIT ${batch}`);
  if (rows.length === 0) return false;
  const texts = rows.map(({ document, heading, body }) => embeddingInput(document, heading, body));
  const vectors = await embedder.embed(texts, { signal });
  const embedded = rows.map(({ id, document }, index) => ({
    id,
    document,
    embedding: vectors[index] ?? null,
  }));
  // Documents that were renamed meanwhile follow in the next batch. Locked, as a rename may not be committed yet.
  await queries.execute(sql`
    WITH embedded AS (
      SELECT * FROM jsonb_to_recordset(${JSON.stringify(embedded)}::jsonb)
        AS embedded (id bigint, document text, embedding real[])),
    current AS (
      SELECT id, name FROM documents
      WHERE id IN (SELECT document_id FROM chunks JOIN embedded ON embedded.id = chunks.id) ORDER BY id FOR SHARE)
    UPDATE chunks SET embedding = embedded.embedding, embedding_model = ${embedder.model}
    FROM embedded, current
    WHERE chunks.id = embedded.id AND current.id = chunks.document_id AND current.name = embedded.document`);
  return true;
}
