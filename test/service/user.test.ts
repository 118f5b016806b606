import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createApiKey } from '../support/service/create-api-key.ts';
import { createUser, startService } from '../support/service/service.ts';

const service = await startService();
const { db, pool } = service.running.database;
const userId = await createUser(service.running, '12.34');
const key = await createApiKey(db, userId, 'First');
const bearer = (value: string) => ({ Authorization: `Bearer ${value}` });

test('returns the name, e-mail address and balance of the user', async () => {
  const { status, json, headers } = await service.get('/api/user/me', bearer(key));
  assert.equal(status, 200);
  assert.deepEqual(Object.keys(json), ['name', 'email', 'total_balance']);
  assert.equal(json['name'], 'Test Owner');
  assert.equal(json['total_balance'], 12.34);
  assert.equal(headers.get('Cache-Control'), 'no-store');
});

test('returns 401 for a missing, malformed, unknown or deleted key', async () => {
  const deleted = await createApiKey(db, userId, 'Deleted');
  await pool.query("DELETE FROM api_keys WHERE name = 'Deleted'");
  const wrong = [
    {},
    { Authorization: '' },
    { Authorization: key },
    { Authorization: `Basic ${key}` },
    bearer(''),
    bearer(`${key}x`),
    bearer(key.slice(0, -1)),
    bearer(key.toUpperCase()),
    bearer(`${key} ${key}`),
    bearer('vac_'),
    bearer(`vac_${'x'.repeat(7000)}`),
    bearer(deleted),
  ];
  for (const headers of wrong) {
    for (const path of ['/api/user/me', '/api/user/api-keys', '/api/user/anything']) {
      const { status, json } = await service.get(path, headers);
      assert.equal(status, 401, JSON.stringify(headers));
      assert.deepEqual(json, { message: 'Unauthenticated.' });
    }
  }
});

test('accepts the scheme Bearer in any letter case', async () => {
  assert.equal((await service.get('/api/user/me', { Authorization: `bearer ${key}` })).status, 200);
});

test('lists API keys without their values, newest first, with the time of their last use', async () => {
  const owner = await createUser(service.running, '0');
  const used = await createApiKey(db, owner, 'Used');
  await createApiKey(db, owner, 'Never used');
  const { status, json, text } = await service.get('/api/user/api-keys', bearer(used));
  assert.equal(status, 200);
  const keys = json['api_keys'] as Record<string, unknown>[];
  assert.deepEqual(
    keys.map(({ name }) => name),
    ['Never used', 'Used'],
  );
  for (const listed of keys)
    assert.deepEqual(Object.keys(listed).slice(0, 4), ['id', 'name', 'last_used_at', 'created_at']);
  const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
  assert.match(keys[0]?.['created_at'] as string, timestamp);
  assert.equal(keys[0]?.['last_used_at'], null);
  assert.match(keys[1]?.['last_used_at'] as string, timestamp);
  assert.ok(Math.abs(Date.parse(keys[1]?.['last_used_at'] as string) - Date.now()) < 60_000);
  assert.doesNotMatch(text, /vac_/);
});

test('returns timestamps in UTC with microseconds', async () => {
  const owner = await createUser(service.running, '0');
  const ownersKey = await createApiKey(db, owner, 'Micro');
  await pool.query("UPDATE api_keys SET created_at = '2026-01-31 10:30:00.123456+01' WHERE user_id = $1", [
    owner,
  ]);
  const { json } = await service.get('/api/user/api-keys', bearer(ownersKey));
  assert.equal(
    (json['api_keys'] as Record<string, unknown>[])[0]?.['created_at'],
    '2026-01-31T09:30:00.123456Z',
  );
});

test('stores only the hash of a key', async () => {
  const { rows } = await pool.query<{ row: string }>('SELECT api_keys::text AS row FROM api_keys');
  assert.ok(rows.length > 0);
  for (const { row } of rows)
    assert.ok(!row.includes(key) && !row.includes(Buffer.from(key).toString('hex')));
  assert.match(key, /^vac_[\w-]{43}$/);
});
