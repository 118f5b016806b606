import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readConfig } from '../../src/service/config.ts';
import { migrate } from '../../src/service/db/migrate.ts';
import { openPglite } from '../../src/service/db/open-pglite.ts';
import { openPostgres } from '../../src/service/db/open-postgres.ts';
import { createLog } from '../../src/service/log.ts';
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
     WHERE contype = 'f' AND connamespace = 'public'::regnamespace AND NOT EXISTS (
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

test("earlier versions' records keep working, and names of records that nobody could have are dropped", async () => {
  const earlier = await mkdtemp(join(tmpdir(), 'service-'));
  atEnd(() => rm(earlier, { recursive: true, force: true }));
  const address = testDatabase === 'postgres' ? await createDatabase() : undefined;
  const config = readConfig({ DATA_DIR: earlier, DATABASE_URL: address });
  const log = createLog('silent');
  const database =
    config.databaseUrl === undefined
      ? await openPglite(join(earlier, 'database'), log)
      : await openPostgres(config.databaseUrl, 1, log);
  atEnd(() => database.close());
  await database.pool.query(
    'CREATE TABLE schema_migrations (name text PRIMARY KEY, applied_at timestamptz DEFAULT now())',
  );
  const apply = async (from: string, to: string) => {
    for (const file of files.filter((name) => name >= from && name < to)) {
      await database.pool.query(await readFile(join(repository, 'src/service/db/migrations', file), 'utf8'));
      await database.pool.query('INSERT INTO schema_migrations (name) VALUES ($1)', [file]);
    }
  };
  await apply('0001', '0003');
  await database.pool.query(`
    INSERT INTO users (name, email) VALUES ('Ada', 'ada@example.com');
    INSERT INTO assistants (uuid, user_id, name, voice_id, language_id, llm_model_id, phone_number_id, tool_ids, variables)
      VALUES ('6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e01', 1, 'Kim', 1, 1, 1, 7, '{3,4}', '{"city": "Oslo"}');
    INSERT INTO conversations (uuid, assistant_id, type) VALUES ('6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e02', 1, 'test');
    INSERT INTO conversations (uuid, assistant_id, type, updated_at)
      VALUES ('6f1f3d0a-52c4-4c7b-9d53-0b6a5d1c7e03', 1, 'test', now() - interval '1 day');
    INSERT INTO messages (conversation_id, turn, role, content) VALUES (1, 0, 'assistant', 'Hello');
    INSERT INTO knowledgebases (user_id, name) VALUES (1, 'Shop');
    INSERT INTO documents (knowledgebase_id, name, type, status) VALUES (1, 'Hours', 'txt', 'active')`);
  await apply('0003', '0009');
  await database.pool.query(`
    INSERT INTO campaigns (user_id, assistant_id, name, timezone, status) VALUES (1, 1, 'Spring', 'UTC', 'in-progress');
    INSERT INTO leads (user_id, campaign_id, phone_number, status) VALUES (1, 1, '+4930111222', 'created');
    INSERT INTO calls (user_id, assistant_id, campaign_id, lead_id, assistant_name, type, status, recording_url, updated_at)
      VALUES (1, 1, 1, 1, 'Kim', 'outbound', 'busy', 'https://carrier.example/r.wav', '2026-03-01'),
        (1, 1, 1, 1, 'Kim', 'outbound', 'initiated', NULL, '2026-03-02')`);
  await apply('0009', '0014');
  await database.pool.query(`
    INSERT INTO blocked_numbers (user_id, phone_number) VALUES (1, '+4930111333'), (1, '+4930111444');
    INSERT INTO webhook_deliveries (webhook_id, user_id, call_id, event, url, payload)
      VALUES ('msg_1', 1, 1, 'call-ended', 'https://shop.example/', '{}')`);
  await apply('0014', '0017');
  await database.pool.query(`
    UPDATE leads SET status = 'processing', next_try_at = '2026-03-01';
    INSERT INTO leads (user_id, campaign_id, phone_number, status) VALUES (1, 1, '+4930111223', 'completed');
    INSERT INTO calls (user_id, lead_id, assistant_name, type, status, recording_token, recording_url)
      VALUES (1, 2, 'Kim', 'outbound', 'completed', 'token', 'https://old.example/api/recordings/token')`);
  await apply('0017', '0018');
  await database.pool.query(`
    INSERT INTO phone_numbers (user_id, phone_number, country_code, has_active_subscription, created_at, release_at)
      SELECT 1, number, 'GB', bought, now() - interval '40 days', leaves
      FROM (VALUES ('+442079460001', true, NULL), ('+442079460002', true, now() + interval '20 days'),
        ('+442079460003', false, NULL)) AS numbers (number, bought, leaves)`);
  await migrate(database.pool);
  // The month under way is paid for; a number that was given back has no subscription any more.
  const numbers = await database.pool.query(
    `SELECT has_active_subscription AS subscribed, price, release_at IS NOT NULL AS leaves,
       paid_until = created_at + interval '2 months' AS "forTwoMonths"
     FROM phone_numbers ORDER BY phone_number`,
  );
  assert.deepEqual(numbers.rows, [
    { subscribed: true, price: '1.5000', leaves: false, forTwoMonths: true },
    { subscribed: false, price: '1.5000', leaves: true, forTwoMonths: true },
    { subscribed: false, price: null, leaves: false, forTwoMonths: null },
  ]);
  const called = await database.pool.query(
    `SELECT ended_at = calls.updated_at AS ended, recording_url, lines, leads.status, leads.tries, leads.call_id,
       (SELECT count(*)::int FROM webhook_deliveries WHERE webhook_deliveries.call_id = calls.id) AS webhooks
     FROM calls JOIN leads ON leads.id = lead_id ORDER BY calls.id`,
  );
  const lead = { status: 'processing', tries: 0, call_id: 2, lines: [] };
  assert.deepEqual(called.rows, [
    { ...lead, ended: true, recording_url: 'https://carrier.example/r.wav', webhooks: 1 },
    { ...lead, ended: null, recording_url: null, webhooks: 0 },
    { ...lead, status: 'completed', call_id: null, ended: null, recording_url: null, webhooks: 0 },
  ]);
  const others = await database.pool.query(
    `SELECT name, calls_made, stop_reason, (SELECT array_agg(id ORDER BY id) FROM blocked_numbers) AS blocked FROM campaigns`,
  );
  assert.deepEqual(others.rows, [{ name: 'Spring', calls_made: 0, stop_reason: null, blocked: [1, 2] }]);
  const { rows } = await database.pool.query(
    `SELECT assistants.name, phone_number_id, tool_ids, assistants.variables, content, voices.name AS voice,
       documents.name AS document
     FROM assistants JOIN conversations ON assistant_id = assistants.id
       JOIN messages ON conversation_id = conversations.id
       JOIN voices ON voices.id = voice_id JOIN models ON models.id = llm_model_id
       JOIN knowledgebases ON knowledgebases.user_id = assistants.user_id
       JOIN documents ON documents.knowledgebase_id = knowledgebases.id`,
  );
  assert.deepEqual(rows, [
    {
      name: 'Kim',
      phone_number_id: null,
      tool_ids: [],
      variables: { city: 'Oslo' },
      content: 'Hello',
      voice: 'Mira',
      document: 'Hours',
    },
  ]);
  // What ended long ago needs no telling any more; what did not has not ended.
  const ends = await database.pool.query(
    `SELECT ended_at - updated_at = interval '30 minutes' AS "afterItsTime" FROM conversations ORDER BY id`,
  );
  assert.deepEqual(ends.rows, [{ afterItsTime: null }, { afterItsTime: true }]);
});
