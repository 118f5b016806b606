import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { purgeExpiredKeys } from '../../src/service/idempotency/idempotency-key.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, readMoney, startService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const { db, pool } = service.running.database;
const { uuid: assistant, userId } = await createAssistant(service, {
  balance: '100',
  initialMessage: 'Hi {{name}}',
});
const newKey = () => ({ 'Idempotency-Key': randomUUID() });
const spent = async (task: () => Promise<void>) => {
  const before = (await readMoney(service, userId)).balance;
  await task();
  return Math.round((before - (await readMoney(service, userId)).balance) * 100);
};

test('opens one conversation for two requests with the same key', async () => {
  const key = newKey();
  const body = { assistant_id: assistant, variables: { name: 'Ada' } };
  const first = await service.post('/api/conversations', body, key);
  const second = await service.post('/api/conversations', body, key);
  assert.equal(first.status, 200);
  assert.deepEqual(second.json, first.json);
});

test('repeats the first response to an opening, even if the conversation has changed since', async () => {
  const key = newKey();
  const first = await service.post('/api/conversations', { assistant_id: assistant }, key);
  await service.send(first.json['conversation_id'] as string, 'Hello');
  const second = await service.post('/api/conversations', { assistant_id: assistant }, key);
  assert.deepEqual(second.json, first.json);
});

test('opens one conversation for concurrent requests with the same key', async () => {
  const key = newKey();
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => service.post('/api/conversations', { assistant_id: assistant }, key)),
  );
  assert.equal(new Set(answers.map(({ json }) => json['conversation_id'])).size, 1);
});

test("opens another conversation for another client's request with the same key", async () => {
  const proxied = await startService({ TRUST_PROXY: '1' });
  const { uuid } = await createAssistant(proxied);
  const openFrom = async (address: string) => {
    const headers = { 'Idempotency-Key': '1', 'X-Forwarded-For': address };
    return (await proxied.post('/api/conversations', { assistant_id: uuid }, headers)).json[
      'conversation_id'
    ];
  };
  const first = await openFrom('198.51.100.1');
  assert.notEqual(await openFrom('198.51.100.2'), first);
  assert.equal(await openFrom('198.51.100.1'), first);
});

test('opens another conversation without a key, or with another one', async () => {
  const uuids = new Set([
    await service.open(assistant),
    await service.open(assistant),
    (await service.post('/api/conversations', { assistant_id: assistant }, newKey())).json['conversation_id'],
    (await service.post('/api/conversations', { assistant_id: assistant }, newKey())).json['conversation_id'],
  ]);
  assert.equal(uuids.size, 4);
});

test('returns the same answer for a repeated message, and bills and stores it once', async () => {
  const conversation = await service.open(assistant);
  const key = newKey();
  const calls = model.requests.length;
  const cents = await spent(async () => {
    const first = await service.send(conversation, 'Once', key);
    for (let repeat = 0; repeat < 3; repeat++) {
      assert.deepEqual((await service.send(conversation, 'Once', key)).json, first.json);
    }
  });
  assert.equal(cents, 1);
  assert.equal(model.requests.length, calls + 1);
  assert.equal((await service.history(conversation)).filter((line) => line === 'user: Once').length, 1);
});

test('makes a repeat wait for the answer to a pending request', async () => {
  const conversation = await service.open(assistant);
  const key = newKey();
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise, chunks: ['Slow'] });
  const calls = model.requests.length;
  const cents = await spent(async () => {
    const answers = Array.from({ length: 10 }, () => service.send(conversation, 'Race', key));
    await model.received(calls + 1);
    const stream = await service.stream(conversation, 'Race', key);
    gate.resolve(undefined);
    for (const { status, json } of await Promise.all(answers)) {
      assert.equal(status, 200);
      assert.equal(json['message'], 'Slow');
    }
    assert.deepEqual((await stream.all()).at(-1)?.data['message'], 'Slow');
  });
  assert.equal(cents, 1);
  assert.equal(model.requests.length, calls + 1);
  model.behave({});
});

test('sends a repeated answer as one delta', async () => {
  const conversation = await service.open(assistant);
  const key = newKey();
  model.behave({ chunks: ['In ', 'three ', 'chunks'] });
  await service.send(conversation, 'Stream', key);
  const events = await (await service.stream(conversation, 'Stream', key)).all();
  assert.deepEqual(events, [
    { event: 'delta', data: { text: 'In three chunks' } },
    {
      event: 'done',
      data: { status: true, message: 'In three chunks', function_calls: [], ai_enabled: true },
    },
  ]);
  model.behave({});
});

test('answers a repeat even if the balance is used up', async () => {
  const lowBalance = await createAssistant(service, { balance: '0.01' });
  const conversation = await service.open(lowBalance.uuid);
  const key = newKey();
  const first = await service.send(conversation, 'Last cent', key);
  assert.equal(first.status, 200);
  assert.deepEqual((await service.send(conversation, 'Last cent', key)).json, first.json);
  assert.equal((await service.send(conversation, 'Another')).status, 400);
});

test('refuses a key with another body', async () => {
  const conversation = await service.open(assistant);
  const key = newKey();
  await service.send(conversation, 'First', key);
  const error = 'Idempotency-Key was used before with another body; use a new key for a new request';
  for (const Accept of ['application/json', 'text/event-stream']) {
    const { status, json } = await service.send(conversation, 'Second', { ...key, Accept });
    assert.equal(status, 422);
    assert.deepEqual(json, { status: false, error });
  }
  const openKey = newKey();
  await service.post('/api/conversations', { assistant_id: assistant }, openKey);
  const other = await service.post('/api/conversations', { assistant_id: assistant, type: 'test' }, openKey);
  assert.deepEqual([other.status, other.json['error']], [422, error]);
});

test('scopes keys to their conversation', async () => {
  const key = newKey();
  const first = await service.open(assistant);
  const second = await service.open(assistant);
  await service.send(first, 'To the first', key);
  assert.equal((await service.send(second, 'To the second', key)).json['message'], 'You said: To the second');
});

test('releases the key of a failed reply, so the request can be retried', async () => {
  const conversation = await service.open(assistant);
  const key = newKey();
  model.behave({ status: 400 });
  const cents = await spent(async () => {
    assert.equal((await service.send(conversation, 'Again', key)).status, 400);
    model.behave({});
    assert.equal((await service.send(conversation, 'Again', key)).json['message'], 'You said: Again');
    assert.equal((await service.send(conversation, 'Again', key)).json['message'], 'You said: Again');
  });
  assert.equal(cents, 1);
});

test('reports a failed reply to all waiting requests', async () => {
  const conversation = await service.open(assistant);
  const key = newKey();
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise, chunks: ['Half'], ending: 'cut' });
  const calls = model.requests.length;
  const answers = [service.send(conversation, 'Doomed', key), service.send(conversation, 'Doomed', key)];
  await model.received(calls + 1);
  gate.resolve(undefined);
  for (const { status } of await Promise.all(answers)) assert.equal(status, 400);
  model.behave({});
});

test('does not consume the key of a refused request', async () => {
  const lowBalance = await createAssistant(service, { balance: '0.01' });
  const conversation = await service.open(lowBalance.uuid);
  await service.send(conversation, 'Last cent');
  const key = newKey();
  assert.equal((await service.send(conversation, 'Please', key)).status, 400);
  await pool.query('UPDATE users SET balance = 0.01 WHERE id = $1', [lowBalance.userId]);
  assert.equal((await service.send(conversation, 'Please', key)).status, 200);
});

test('accepts keys of up to 255 characters and ignores an empty one', async () => {
  const send = (key: string) =>
    service.post('/api/conversations', { assistant_id: assistant }, { 'Idempotency-Key': key });
  assert.equal((await send('k'.repeat(255))).status, 200);
  const { status, json } = await send('k'.repeat(256));
  assert.deepEqual(
    [status, json],
    [422, { status: false, error: 'Idempotency-Key may have at most 255 characters' }],
  );
  assert.notEqual((await send('')).json['conversation_id'], (await send('')).json['conversation_id']);
});

test('forgets a key after a day', async () => {
  const conversation = await service.open(assistant);
  const other = await service.open(assistant);
  const key = newKey();
  await service.send(other, 'Yesterday', key);
  await service.send(conversation, 'Yesterday', key);
  const scopes = [other, conversation];
  await pool.query(
    "UPDATE idempotency_keys SET expires_at = now() - interval '1 second' WHERE scope = ANY ($1)",
    [scopes],
  );
  assert.equal((await service.send(conversation, 'Today', key)).json['message'], 'You said: Today');
  assert.equal((await service.send(conversation, 'Today', key)).json['message'], 'You said: Today');
  assert.deepEqual(await service.history(conversation), [
    'assistant: Hi ',
    'user: Yesterday',
    'assistant: You said: Yesterday',
    'user: Today',
    'assistant: You said: Today',
  ]);
  await purgeExpiredKeys(db);
  const { rows } = await pool.query('SELECT scope FROM idempotency_keys WHERE scope = ANY ($1)', [scopes]);
  assert.deepEqual(rows, [{ scope: conversation }]);
});
