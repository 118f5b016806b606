import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { migrate } from '../../src/service/db/migrate.ts';
import { repository } from '../support/repository.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { atEnd, createDatabase, startService, testDatabase } from '../support/service.ts';

const folder = await mkdtemp(join(tmpdir(), 'service-'));
atEnd(() => rm(folder, { recursive: true, force: true }));
const empty = async () => ({
  DATA_DIR: folder,
  ...(testDatabase === 'postgres' ? { DATABASE_URL: await createDatabase() } : {}),
});
const service = await startService(await empty());
const { pool } = service.running.database;
const files = (await readdir(join(repository, 'src/service/db/migrations'))).sort();

test('an empty database gets every migration, in order', async () => {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT name FROM schema_migrations ORDER BY applied_at, name',
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    files,
  );
});

test('migrating again changes nothing', async () => {
  const before = await pool.query('SELECT * FROM schema_migrations ORDER BY name');
  await Promise.all([migrate(pool), migrate(pool)]);
  const after = await pool.query('SELECT * FROM schema_migrations ORDER BY name');
  assert.deepEqual(after.rows, before.rows);
});

test('every foreign key has an index, so that no deletion reads a whole table', async () => {
  const { rows } = await pool.query(
    `SELECT conrelid::regclass::text AS "table", conname FROM pg_constraint
     WHERE contype = 'f' AND NOT EXISTS (
       SELECT 1 FROM pg_index WHERE indrelid = conrelid AND (indkey::int2[])[0] = conkey[1])`,
  );
  assert.deepEqual(rows, []);
});

test(
  'three processes that start at once on an empty database bring it up to date together',
  { skip: testDatabase === 'pglite' && 'an embedded database belongs to one process' },
  async () => {
    const env = { DATA_DIR: folder, DATABASE_URL: await createDatabase() };
    const processes = await Promise.all([1, 2, 3].map(() => startServiceProcess(env)));
    const health = await Promise.all(processes.map((service) => service.get('/healthz')));
    assert.deepEqual(
      health.map(({ status }) => status),
      [200, 200, 200],
    );
    await Promise.all(processes.map((service) => service.stop()));
  },
);
