import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { OperatorError } from '../operator-error.ts';

const folder = join(import.meta.dirname, 'migrations');

/** An arbitrary number that all processes of this service share. */
const advisoryLock = 7_303_014_117;

/** Longest wait for the migrations of another process, or for one of ours, in milliseconds. */
const noTimeout = { query_timeout: 3_600_000 };

/** The database was created before the first release, with other tables than those of the first migration now. */
export class UnsupportedDatabaseError extends OperatorError {
  override readonly name = 'UnsupportedDatabaseError';
  constructor() {
    super(
      'The database was created by a version before the first release and cannot be upgraded. To start with an ' +
        'empty one, move the folder "database" out of DATA_DIR, or name an empty database in DATABASE_URL.',
    );
  }
}

/** A later version of the service has changed the tables. Processes of this version that run already go on. */
export class NewerDatabaseError extends OperatorError {
  override readonly name = 'NewerDatabaseError';
  constructor(migration: string) {
    super(
      `The database was migrated by a later version of the service (${migration}). Install that version or a later ` +
        'one, or restore a backup from before the update.',
    );
  }
}

interface Migration {
  readonly name: string;
  readonly sql: string;
  /** Differs if the file has changed, other than in its line endings. */
  readonly checksum: string;
}

async function readMigrations(): Promise<readonly Migration[]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = (await readFile(join(folder, name), 'utf8')).replaceAll('\r\n', '\n');
      return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
    }),
  );
}

/**
 * Applies the numbered SQL files that the database lacks, in one transaction. An advisory lock makes processes that
 * start together take turns.
 *
 * @throws UnsupportedDatabaseError, NewerDatabaseError
 */
export async function migrate(pool: Pool): Promise<void> {
  const migrations = await readMigrations();
  const client = await pool.connect();
  try {
    await client.query('BEGIN');
    // Another process may hold the lock for longer than a statement may normally take.
    await client.query('SET LOCAL statement_timeout = 0');
    await client.query({ ...noTimeout, text: 'SELECT pg_advisory_xact_lock($1)', values: [advisoryLock] });
    await client.query(
      'CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now())',
    );
    // The first databases did not have it.
    await client.query('ALTER TABLE schema_migrations ADD COLUMN IF NOT EXISTS checksum text');
    const { rows } = await client.query<{ name: string; checksum: string | null }>(
      'SELECT name, checksum FROM schema_migrations',
    );
    const applied = new Map(rows.map((row) => [row.name, row.checksum]));
    const [first] = migrations;
    if (first && applied.size > 0 && applied.get(first.name) !== first.checksum)
      throw new UnsupportedDatabaseError();
    const known = new Set(migrations.map(({ name }) => name));
    const newer = [...applied.keys()]
      .filter((name) => !known.has(name))
      .sort()
      .at(-1);
    if (newer !== undefined) throw new NewerDatabaseError(newer);
    for (const { name, sql, checksum } of migrations.filter((migration) => !applied.has(migration.name))) {
      await client.query({ ...noTimeout, text: sql });
      await client.query('INSERT INTO schema_migrations (name, checksum) VALUES ($1, $2)', [name, checksum]);
    }
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK');
    throw error;
  } finally {
    client.release();
  }
}
