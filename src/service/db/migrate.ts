import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { OperatorError } from '../operator-error.ts';

const folder = join(import.meta.dirname, 'migrations');

/** An arbitrary number that all processes of this service share. */
const advisoryLock = 7_303_014_117;

/** Longest wait for the migrations of another process, or for one of ours, in milliseconds. */
const noTimeout = { query_timeout: 3_600_000 };

/** The database was created before the first release, whose migrations start from an empty database. */
export class UnsupportedDatabaseError extends OperatorError {
  override readonly name = 'UnsupportedDatabaseError';
  constructor() {
    super(
      'The database was created by a version before the first release and cannot be upgraded. To start with an ' +
        'empty one, move the folder "database" out of DATA_DIR, or name an empty database in DATABASE_URL.',
    );
  }
}

/**
 * Applies the numbered SQL files that the database lacks, in one transaction. An advisory lock makes processes that
 * start together take turns.
 *
 * @throws UnsupportedDatabaseError
 */
export async function migrate(pool: Pool): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    // Another process may hold the lock for longer than a statement may normally take.
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query({ ...noTimeout, text: 'SELECT pg_advisory_xact_lock($1)', values: [advisoryLock] });
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    const { rows } = await client.query<{ name: string }>('SELECT name FROM schema_migrations');
    const applied = new Set(rows.map((row) => row.name));
    if (applied.size > 0 && !applied.has(names[0] ?? '')) throw new UnsupportedDatabaseError();
    for (const name of names.filter((candidate) => !applied.has(candidate))) {
      await client.query({ ...noTimeout, text: await readFile(join(folder, name), 'utf8') });
      await client.query('INSERT INTO schema_migrations (name) VALUES ($1)', [name]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
