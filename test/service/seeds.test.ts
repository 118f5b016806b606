import assert from 'node:assert/strict';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { countCharacters } from '../../src/contract/limits.ts';
import { demoAssistants } from '../../src/service/seed/demo-assistants.ts';
import { seedDemo } from '../../src/service/seed/seed-demo.ts';
import { newDatabase, startService, testDatabase } from '../support/service/service.ts';

const env = await newDatabase();
const dataDir = env['DATA_DIR'] ?? '';
const service = await startService(env);
const { database } = service.running;
const first = await seedDemo(database, dataDir);

const count = async () => {
  const { rows } = await database.pool.query<Record<string, number>>(
    `SELECT (SELECT count(*)::int FROM users) AS users, (SELECT count(*)::int FROM assistants) AS assistants,
      (SELECT count(*)::int FROM chunks) AS chunks, (SELECT count(*)::int FROM documents) AS documents,
      (SELECT count(*)::int FROM api_keys) AS keys, (SELECT count(*)::int FROM ledger_entries) AS entries`,
  );
  return rows[0];
};

test('has an assistant for every feature of the demo', () => {
  assert.deepEqual(
    first.assistants.map(({ shows }) => shows),
    ['greeting', 'no-greeting', 'settings', 'german', 'arabic', 'no-balance'],
  );
  assert.deepEqual(
    first.assistants,
    demoAssistants.map(({ uuid, name, shows }) => ({ uuid, name, shows })),
  );
});

test('has initial messages within the limit of the interface', () => {
  for (const { initialMessage } of demoAssistants) assert.ok(countCharacters(initialMessage) <= 200);
});

test('changes nothing and returns the same key when it seeds again, also concurrently', async () => {
  const before = await count();
  const again = await Promise.all([seedDemo(database, dataDir), seedDemo(database, dataDir)]);
  for (const result of again) assert.deepEqual(result, first);
  assert.deepEqual(await count(), before);
});

test('lists the created records in the audit log, once', async () => {
  const { rows } = await database.pool.query(
    `SELECT object, count(*)::integer AS entries, count(DISTINCT object_id)::integer AS records, min(actor) AS actor
     FROM audit_log WHERE operation = 'seed' GROUP BY object ORDER BY object`,
  );
  const entry = (object: string, entries: number) => ({
    object,
    entries,
    records: entries,
    actor: 'command-line',
  });
  const { rows: bases } = await database.pool.query('SELECT id FROM knowledgebases');
  assert.deepEqual(rows, [
    entry('api-key', 1),
    entry('assistant', demoAssistants.length),
    entry('knowledgebase', bases.length),
    entry('user', 2),
  ]);
});

test('creates a key that works, in a file that only its owner can read', async () => {
  const { status, json } = await service.get('/api/user/me', { Authorization: `Bearer ${first.apiKey}` });
  assert.equal(status, 200);
  assert.equal(json['total_balance'], 25);
  const file = join(dataDir, 'demo-api-key');
  assert.equal((await readFile(file, 'utf8')).trim(), first.apiKey);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('replaces a key that the database does not know', async () => {
  const { apiKey } = await seedDemo(database, dataDir);
  await writeFile(join(dataDir, 'demo-api-key'), 'vac_something-else\n');
  const { apiKey: fresh } = await seedDemo(database, dataDir);
  assert.notEqual(fresh, apiKey);
  assert.notEqual(fresh, 'vac_something-else');
  assert.equal((await service.get('/api/user/me', { Authorization: `Bearer ${fresh}` })).status, 200);
});

test('keeps changes by the owner and does not restore spent money', async () => {
  const { uuid } = demoAssistants[2] ?? { uuid: '' };
  await database.pool.query("UPDATE assistants SET name = 'Renamed' WHERE uuid = $1", [uuid]);
  await database.pool.query('UPDATE users SET balance = 7 WHERE balance = 25');
  await seedDemo(database, dataDir);
  const { json } = await service.get(`/api/assistants/${uuid}/widget`);
  assert.equal((json['data'] as { name: string }).name, 'Renamed');
  const { rows } = await database.pool.query<{ balance: string }>(
    'SELECT balance FROM users ORDER BY balance DESC',
  );
  assert.deepEqual(
    rows.map(({ balance }) => Number(balance)),
    [7, 0],
  );
});

test('seeds assistants with the features that they demonstrate', async () => {
  const open = async (shows: string, more = {}) => {
    const { uuid } = demoAssistants.find((assistant) => assistant.shows === shows) ?? { uuid: '' };
    return (await service.post('/api/conversations', { assistant_id: uuid, ...more })).json;
  };
  const greeting = async (more = {}) =>
    ((await open('greeting', more))['history'] as { content: string }[])[0]?.content;
  assert.match((await greeting()) ?? '', /^Hi there! I'm Kim from Nordkamm\./);
  assert.match((await greeting({ variables: { first_name: 'Ada' } })) ?? '', /^Hi Ada!/);
  assert.deepEqual((await open('no-greeting'))['history'], []);
  assert.equal((await open('no-balance'))['error'], 'Insufficient balance. Please top up your account.');
  assert.equal((await open('no-balance', { type: 'test' }))['status'], true);
  const looks = await Promise.all(
    demoAssistants.map(
      async ({ uuid }) => (await service.get(`/api/assistants/${uuid}/widget`)).json['data'],
    ),
  );
  const settings = looks[2] as { widget_settings: unknown };
  assert.deepEqual(settings.widget_settings, { theme: 'dark', color: '#f2d9a6', position: 'left-top' });
  assert.deepEqual(
    looks.map((look) => (look as { language: string }).language),
    ['en', 'en', 'en', 'de', 'ar', 'en'],
  );
});

test(
  'finds everything after a restart',
  { skip: testDatabase === 'postgres' && 'the server keeps its own data' },
  async () => {
    const own = await newDatabase();
    const before = await startService(own);
    const seeded = await seedDemo(before.running.database, own['DATA_DIR'] ?? '');
    const conversation = await before.open(seeded.assistants[0]?.uuid ?? '');
    await before.send(conversation, 'When are you open?');
    const history = await before.history(conversation);
    await before.running.close();
    const after = await startService(own);
    assert.deepEqual(await seedDemo(after.running.database, own['DATA_DIR'] ?? ''), seeded);
    assert.deepEqual(await after.history(conversation), history);
  },
);

test('resumes a conversation of the demo after a night', async () => {
  const conversation = await service.open(demoAssistants[0]?.uuid ?? '', { type: 'test' });
  await database.pool.query(
    "UPDATE conversations SET updated_at = now() - interval '12 hours' WHERE uuid = $1",
    [conversation],
  );
  assert.equal((await service.send(conversation, 'Hello')).status, 200);
});
