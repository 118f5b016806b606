import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { createApiKey } from '../support/service/create-api-key.ts';
import { expectingFailures } from '../support/service/check-answer.ts';
import { createAssistant, readMoney, startService } from '../support/service/service.ts';

const service = await startService();
const { db, pool } = service.running.database;
const { uuid, userId } = await createAssistant(service, { balance: '1' });
let conversation: string;
const key = await createApiKey(db, userId, 'Key');

// Not earlier: all files load before the first test, and a conversation ends after half an hour.
before(async () => {
  conversation = await service.open(uuid);
});

/** Runs a task while a table cannot be found. */
async function without(table: string, task: () => Promise<void>): Promise<void> {
  await pool.query(`ALTER TABLE ${table} RENAME TO hidden`);
  try {
    await expectingFailures(task);
  } finally {
    await pool.query(`ALTER TABLE hidden RENAME TO ${table}`);
  }
}

test('returns 500 without internal details, in the format of the endpoint', async () => {
  await without('messages', async () => {
    const text = 'Something went wrong inside the service. Please try again.';
    for (const answer of [
      await service.get(`/api/conversations/${conversation}`),
      await service.send(conversation, 'Hi'),
    ]) {
      assert.equal(answer.status, 500);
      assert.deepEqual(answer.json, { status: false, error: text });
      assert.equal(answer.headers.get('Access-Control-Allow-Origin'), '*');
    }
  });
  await without('api_keys', async () => {
    const { status, json } = await service.get('/api/user/me', { Authorization: `Bearer ${key}` });
    assert.equal(status, 500);
    assert.deepEqual(json, { message: 'Something went wrong inside the service. Please try again.' });
  });
  assert.deepEqual(await readMoney(service, userId), { balance: 1, ledger: 1 });
});

test('refunds a reply that fails inside the service', async () => {
  await without('languages', async () => {
    const { status, json } = await service.send(conversation, 'Hi');
    assert.equal(status, 400);
    assert.equal(json['error'], 'Failed to process message: something went wrong inside the service');
  });
  assert.deepEqual(await service.history(conversation), []);
  assert.deepEqual(await readMoney(service, userId), { balance: 1, ledger: 1 });
});

test('serves requests afterwards', async () => {
  assert.equal((await service.send(conversation, 'Hi')).status, 200);
});
