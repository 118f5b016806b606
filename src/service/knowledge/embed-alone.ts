import type { Database } from '../db/database.ts';
import type { Jobs } from '../jobs/jobs.ts';
import { embedChunks } from './embed-chunks.ts';
import type { Embedder } from './embedder.ts';

/** What chunks are embedded with. */
export interface Embedding {
  database: Database;
  jobs: Jobs;
  embedder: Embedder;
}

/** Any number: nothing else in the database locks it. */
const lock = 7_302_118_445;

/** Pause before a process looks again whether the one that embeds has left anything, in milliseconds. */
const pauseMs = 10_000;

/**
 * Embeds the chunks that wait for it, unless another process is about it: the endpoint may ask for money, and would be
 * asked for the same twice. The lock is that of a connection, so it ends with its process at the latest.
 */
export async function embedAlone(
  { database, jobs, embedder }: Embedding,
  signal: AbortSignal,
): Promise<void> {
  // Nobody else works on an embedded database, and its one connection must not be held.
  if (database.kind === 'pglite') return embedChunks(database.db, embedder, signal);
  const client = await database.pool.connect();
  try {
    const { rows } = await client.query<{ isOurs: boolean }>('SELECT pg_try_advisory_lock($1) AS "isOurs"', [
      lock,
    ]);
    if (rows[0]?.isOurs !== true) {
      await jobs.send('embed-chunks', {}, { key: 'all', startAfterMs: pauseMs });
      return;
    }
    try {
      await embedChunks(database.db, embedder, signal);
    } finally {
      await client.query('SELECT pg_advisory_unlock($1)', [lock]);
    }
  } finally {
    client.release();
  }
}
