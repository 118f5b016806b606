import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../../src/service/config.ts';
import { migrate } from '../../../src/service/db/migrate.ts';
import { openDatabase } from '../../../src/service/open-database.ts';
import { openPglite } from '../../../src/service/db/open-pglite.ts';
import { openPostgres } from '../../../src/service/db/open-postgres.ts';
import { createLog } from '../../../src/service/log.ts';
import { repository } from '../../support/repository.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { atEnd, createDatabase, startService, testDatabase } from '../../support/service/service.ts';

async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'service-'));
  atEnd(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

const folder = await temporaryFolder();
const empty = async () => ({
  DATA_DIR: folder,
  ...(testDatabase === 'postgres' ? await createDatabase() : {}),
});
const service = await startService(await empty());
const { pool } = service.running.database;
const files = (await readdir(join(repository, 'src/service/db/migrations'))).sort();

test('applies every migration to an empty database, in order', async () => {
  const { rows } = await pool.query<{ name: string }>(
    'SELECT name FROM schema_migrations ORDER BY applied_at, name',
  );
  assert.deepEqual(
    rows.map(({ name }) => name),
    files,
  );
});

test('changes nothing when it migrates again', async () => {
  const before = await pool.query('SELECT * FROM schema_migrations ORDER BY name');
  await Promise.all([migrate(pool), migrate(pool)]);
  const after = await pool.query('SELECT * FROM schema_migrations ORDER BY name');
  assert.deepEqual(after.rows, before.rows);
});

test('has an index for every foreign key, so that no deletion scans a table', async () => {
  const { rows } = await pool.query(
    `SELECT conrelid::regclass::text AS "table", conname FROM pg_constraint
     WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
       SELECT 1 FROM pg_index WHERE indrelid = conrelid AND (indkey::int2[])[0] = conkey[1])`,
  );
  assert.deepEqual(rows, []);
});

test('has no index on what every message changes in its conversation, so that its updates stay heap-only', async () => {
  const { rows } = await pool.query<{ indexdef: string }>(
    "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public' AND tablename = 'conversations'",
  );
  assert.ok(rows.length > 5);
  for (const { indexdef } of rows) assert.doesNotMatch(indexdef, /\b(turns|updated_at|variables)\b/);
});

test(
  'lets three processes migrate an empty database at the same time',
  { skip: testDatabase === 'pglite' && 'an embedded database belongs to one process' },
  async () => {
    const env = { DATA_DIR: folder, ...(await createDatabase()) };
    const processes = await Promise.all([1, 2, 3].map(() => startServiceProcess(env)));
    const health = await Promise.all(processes.map((service) => service.get('/healthz')));
    assert.deepEqual(
      health.map(({ status }) => status),
      [200, 200, 200],
    );
    await Promise.all(processes.map((service) => service.stop()));
  },
);

for (const options of [
  "ENCODING 'SQL_ASCII' LOCALE 'C'",
  "ENCODING 'LATIN1' LOCALE 'C'",
  "ENCODING 'UTF8' LOCALE 'C'",
])
  test(
    `refuses a database with ${options}, which has no Unicode letters, and says how to create one`,
    { skip: testDatabase === 'pglite' && 'the embedded database is created by the service' },
    async () => {
      const config = readConfig(await createDatabase('template0', options));
      await assert.rejects(openDatabase(config, createLog('silent')), {
        name: 'DatabaseLocaleError',
        message: / createdb --template=template0 --encoding=UTF8 --locale=C\.UTF-8 /,
      });
    },
  );

test(
  'migrates a database whose pg_trgm is in a schema that is not searched',
  { skip: testDatabase === 'pglite' && 'the embedded database has no pg_trgm' },
  async () => {
    const config = readConfig(await createDatabase());
    const log = createLog('silent');
    const empty = await openPostgres(String(config.databaseUrl), { poolSize: 1, log });
    await empty.pool.query('CREATE SCHEMA elsewhere; CREATE EXTENSION pg_trgm SCHEMA elsewhere');
    await empty.close();
    const migrated = await openDatabase(config, log);
    await migrated.close();
  },
);

test('refuses a database from before the first release and says what to do', async () => {
  const env = await empty();
  const config = readConfig({ ...env, DATA_DIR: await temporaryFolder() });
  const log = createLog('silent');
  const earlier =
    config.databaseUrl === undefined
      ? await openPglite(join(config.dataDir, 'database'), { fsync: false, log })
      : await openPostgres(config.databaseUrl, { poolSize: 1, log });
  await earlier.pool.query(
    `CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at timestamptz DEFAULT now());
     INSERT INTO schema_migrations (name) VALUES ('0001-first-tables.sql');
     CREATE TABLE users (id integer);`,
  );
  await earlier.close();
  await assert.rejects(openDatabase(config, log), {
    name: 'UnsupportedDatabaseError',
    message: /before the first release .* DATA_DIR, or name an empty database in DATABASE_URL\.$/,
  });
});

test('refuses a database with an earlier version of the first migration, instead of failing at every request', async () => {
  const env = await empty();
  const config = readConfig({ ...env, DATA_DIR: await temporaryFolder() });
  const log = createLog('silent');
  const earlier = await openDatabase(config, log);
  await earlier.pool.query(`UPDATE schema_migrations SET checksum = 'of another version'`);
  await earlier.close();
  await assert.rejects(openDatabase(config, log), { name: 'UnsupportedDatabaseError' });
});

test('refuses a database that a later version has migrated, and says what to do', async () => {
  const env = await empty();
  const config = readConfig({ ...env, DATA_DIR: await temporaryFolder() });
  const log = createLog('silent');
  const later = await openDatabase(config, log);
  await later.pool.query(
    `INSERT INTO schema_migrations (name, checksum) VALUES ('9998-one.sql', ''), ('9999-two.sql', '')`,
  );
  await assert.rejects(migrate(later.pool), {
    name: 'NewerDatabaseError',
    message:
      'The database was migrated by a later version of the service (9999-two.sql). Install that version or a later ' +
      'one, or restore a backup from before the update.',
  });
  // A process that runs already is not affected.
  assert.equal((await later.pool.query('SELECT 1 FROM users')).rowCount, 0);
  await later.close();
});
