import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { moveMoney } from '../../src/service/billing/ledger.ts';
import { createApiKey } from '../support/service/create-api-key.ts';
import { addCall } from '../support/records/add-records.ts';
import { createAssistant, readMoney, startService } from '../support/service/service.ts';
import { utcDay } from '../support/utc-day.ts';

// Limits start again at midnight (UTC).
beforeEach(utcDay);

const service = await startService();
const { db, pool } = service.running.database;

/** Creates an assistant with a conversation; returns functions of its owner. */
async function owner(balance: string) {
  const { uuid, userId } = await createAssistant(service, { balance });
  const headers = { Authorization: `Bearer ${await createApiKey(db, userId, 'Key')}` };
  const conversation = await service.open(uuid);
  return {
    userId,
    send: async () => {
      const { status, json } = await service.send(conversation, 'Hi');
      return [status, json['error'] ?? 'answered'];
    },
    read: async () => (await service.get('/api/user/spending-limit', headers)).json,
    set: (limit: unknown) =>
      service.request('PUT', '/api/user/spending-limit', { daily_limit: limit }, headers),
  };
}

test('refuses messages that would cost more than the owner allows a day, until the next day', async () => {
  const { userId, send, read, set } = await owner('1');
  assert.deepEqual(await read(), { daily_limit: 500, spent_today: 0 });
  assert.deepEqual((await set(0.02)).json, { daily_limit: 0.02, spent_today: 0 });
  const outcomes = [await send(), await send(), await send()];
  assert.deepEqual(outcomes, [
    [200, 'answered'],
    [200, 'answered'],
    [400, 'Daily limit reached.'],
  ]);
  assert.deepEqual(await read(), { daily_limit: 0.02, spent_today: 0.02 });
  assert.deepEqual(await readMoney(service, userId), { balance: 0.98, ledger: 0.98 });
  await pool.query('UPDATE users SET spent_on = spent_on - 1 WHERE id = $1', [userId]);
  assert.deepEqual(await read(), { daily_limit: 0.02, spent_today: 0 });
  assert.deepEqual(await send(), [200, 'answered']);
  assert.deepEqual(await read(), { daily_limit: 0.02, spent_today: 0.01 });
});

test('names the balance if that is too low, and has no limit after null', async () => {
  const { send, set } = await owner('0.01');
  assert.deepEqual((await set(null)).json['daily_limit'], null);
  assert.deepEqual(await send(), [200, 'answered']);
  assert.deepEqual(await send(), [400, 'Insufficient balance. Please top up your account.']);
});

test('counts calls together with messages, and deducts refunds', async () => {
  const { userId, send, read, set } = await owner('5');
  await set(0.12);
  const callId = await addCall(service, { userId });
  const chargeMinute = (callMinute: number) =>
    moveMoney(db, { userId, kind: 'charge', amount: '0.10', callId, callMinute });
  assert.ok(await chargeMinute(1));
  assert.equal(await chargeMinute(2), false);
  assert.deepEqual(await send(), [200, 'answered']);
  assert.deepEqual(await read(), { daily_limit: 0.12, spent_today: 0.11 });
  await moveMoney(db, { userId, kind: 'refund', amount: '0.10', callId, callMinute: 0 });
  assert.deepEqual(await read(), { daily_limit: 0.12, spent_today: 0.01 });
});

test('a refund takes back only what was charged today', async () => {
  const { userId, send, read } = await owner('5');
  const callId = await addCall(service, { userId });
  const chargeMinute = (callMinute: number) =>
    moveMoney(db, { userId, kind: 'charge', amount: '0.10', callId, callMinute });
  await chargeMinute(1);
  await pool.query('UPDATE users SET spent_on = spent_on - 1 WHERE id = $1', [userId]);
  await pool.query(
    "UPDATE ledger_entries SET created_at = created_at - interval '1 day' WHERE call_id = $1",
    [callId],
  );
  await chargeMinute(2);
  await send();
  assert.deepEqual(await read(), { daily_limit: 500, spent_today: 0.11 });
  await moveMoney(db, { userId, kind: 'refund', amount: '0.20', callId, callMinute: 0 });
  assert.deepEqual(await read(), { daily_limit: 500, spent_today: 0.01 });
});

test('a number and a top-up do not count as daily spending', async () => {
  const { userId, read, set } = await owner('5');
  await set(0);
  assert.ok(await moveMoney(db, { userId, kind: 'charge', amount: '2' }));
  assert.ok(await moveMoney(db, { userId, kind: 'top_up', amount: '2' }));
  assert.deepEqual(await read(), { daily_limit: 0, spent_today: 0 });
});

test('refuses invalid limits', async () => {
  const { set } = await owner('1');
  for (const limit of [-1, 'much', {}, undefined, 1_000_000_001])
    assert.equal((await set(limit)).status, 422);
});
