import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { createApiKey } from '../support/service/create-api-key.ts';
import { freePort } from '../support/process/free-port.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, readMoney, startService } from '../support/service/service.ts';
import type { ServiceAnswer } from '../support/service/service-client.ts';
import { utcDay } from '../support/utc-day.ts';

// Limits start again at midnight (UTC).
beforeEach(utcDay);

const service = await startService({ TRUST_PROXY: '1', RATE_LIMIT: '0' });
const { pool } = service.running.database;

const from = (address: string) => ({ 'X-Forwarded-For': address });
const outcome = ({ status, json }: ServiceAnswer) => [status, json['error'] ?? 'answered'];
const limitReached = [400, 'Daily limit reached.'];
const answered = [200, 'answered'];

test('test conversations without a preview token have a daily allowance for each assistant', async () => {
  const { uuid } = await createAssistant(service, { balance: '0', limits: { maxTestMessagesPerDay: 3 } });
  const one = await service.open(uuid, { type: 'test' });
  const other = await service.open(uuid, { type: 'test' });
  const outcomes: unknown[] = [];
  for (const conversation of [one, other, one, other]) {
    outcomes.push(outcome(await service.send(conversation, 'Hi')));
  }
  assert.deepEqual(outcomes.slice(0, 3), [answered, answered, answered]);
  const advice =
    'Daily limit reached. 3 test messages a day without a preview token. Get a token with POST ' +
    '/api/user/assistants/{id}/preview-token, or raise max_test_messages_per_day.';
  assert.deepEqual(outcomes[3], [400, advice]);
  assert.equal((await service.history(other)).length, 2);
});

test('previews, proven by a token, have no allowance', async () => {
  const { uuid } = await createAssistant(service, { balance: '0', limits: { maxTestMessagesPerDay: 0 } });
  const conversation = await service.open(uuid, { type: 'test' });
  assert.equal((await service.send(conversation, 'Hi')).status, 400);
  await pool.query('UPDATE conversations SET is_preview = true WHERE uuid = $1', [conversation]);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi')), answered);
});

test('an allowance is never exceeded by simultaneous messages', async () => {
  const { uuid } = await createAssistant(service, { balance: '0', limits: { maxTestMessagesPerDay: 10 } });
  const conversations = await Promise.all(
    Array.from({ length: 30 }, () => service.open(uuid, { type: 'test' })),
  );
  const answers = await Promise.all(conversations.map((conversation) => service.send(conversation, 'Hi')));
  assert.equal(answers.filter(({ status }) => status === 200).length, 10);
  assert.equal(answers.filter(({ status }) => status === 400).length, 20);
});

test('one visitor has a daily limit, which other visitors do not share, and a refused message costs nothing', async () => {
  const { uuid, userId } = await createAssistant(service, {
    balance: '1',
    limits: { maxVisitorMessagesPerDay: 2 },
  });
  const conversation = await service.open(uuid);
  const send = async (address: string) => outcome(await service.send(conversation, 'Hi', from(address)));
  assert.deepEqual(await send('203.0.113.5'), answered);
  assert.deepEqual(await send('203.0.113.5'), answered);
  assert.deepEqual(await send('203.0.113.5'), limitReached);
  assert.deepEqual(await send('203.0.113.6'), answered);
  assert.deepEqual(await readMoney(service, userId), { balance: 0.97, ledger: 0.97 });
});

test('all visitors of an assistant share its daily limit, which starts again the next day', async () => {
  const { uuid, id } = await createAssistant(service, { balance: '1', limits: { maxMessagesPerDay: 1 } });
  const conversation = await service.open(uuid);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', from('203.0.113.5'))), answered);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', from('203.0.113.6'))), limitReached);
  await pool.query('UPDATE daily_usage SET day = day - 1 WHERE assistant_id = $1', [id]);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', from('203.0.113.6'))), answered);
});

test('a repeated message with the same idempotency key counts once', async () => {
  const { uuid } = await createAssistant(service, { balance: '1', limits: { maxMessagesPerDay: 1 } });
  const conversation = await service.open(uuid);
  const headers = { 'Idempotency-Key': 'one' };
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', headers)), answered);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', headers)), answered);
});

test('a conversation ends when it has as many messages as the assistant allows', async () => {
  const { uuid } = await createAssistant(service, { balance: '1', limits: { maxConversationMessages: 2 } });
  const conversation = await service.open(uuid);
  await service.send(conversation, 'One');
  await service.send(conversation, 'Two');
  assert.deepEqual(outcome(await service.send(conversation, 'Three')), [400, 'Conversation has ended']);
  assert.equal((await service.history(conversation)).length, 4);
});

test('the limit of a conversation counts only messages of the visitor, without those whose reply failed', async () => {
  const model = await startModelServer();
  atEnd(() => model.close());
  const failing = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
  const { uuid, userId } = await createAssistant(service, {
    balance: '1',
    limits: { maxConversationMessages: 2 },
  });
  const desk = { Authorization: `Bearer ${await createApiKey(service.running.database.db, userId, 'Desk')}` };
  const conversation = await service.open(uuid);
  model.behave({ status: 500 });
  for (const text of ['No', 'luck']) assert.equal((await failing.send(conversation, text)).status, 400);
  for (const action of ['disable-ai', 'enable-ai'])
    await service.post(`/api/automate/conversations/${conversation}/${action}`, undefined, desk);
  const written = { message: 'Hanna here.' };
  await service.post(`/api/user/conversations/${conversation}/messages`, written, desk);
  const ended = async () => (await service.get(`/api/conversations/${conversation}`)).json['ended'];
  assert.deepEqual(outcome(await service.send(conversation, 'One')), answered);
  assert.equal(await ended(), false);
  assert.deepEqual(outcome(await service.send(conversation, 'Two')), answered);
  assert.equal(await ended(), true);
  assert.deepEqual(outcome(await service.send(conversation, 'Three')), [400, 'Conversation has ended']);
});

test('the limit of a conversation is never exceeded by simultaneous messages', async () => {
  const { uuid, userId } = await createAssistant(service, {
    balance: '1',
    limits: { maxConversationMessages: 3 },
  });
  const conversation = await service.open(uuid);
  const texts = Array.from({ length: 12 }, (_, index) => `Message ${index}`);
  const answers = await Promise.all(texts.map((text) => service.send(conversation, text)));
  assert.equal(answers.filter(({ status }) => status === 200).length, 3);
  assert.deepEqual(await readMoney(service, userId), { balance: 0.97, ledger: 0.97 });
});

test('only pages of the allowed origins can open conversations and send messages', async () => {
  const { uuid, id } = await createAssistant(service, {
    limits: { allowedOrigins: ['https://shop.example', 'https://*.shop.example'] },
  });
  const open = (headers: Record<string, string>) =>
    service.post('/api/conversations', { assistant_id: uuid }, headers);
  for (const origin of ['https://shop.example', 'https://www.shop.example', 'https://a.b.shop.example']) {
    assert.equal((await open({ Origin: origin })).status, 200, origin);
  }
  for (const origin of [
    'https://evil.example',
    'http://shop.example',
    'https://shop.example:8443',
    'https://evilshop.example',
    'https://shop.example.evil.example',
    'https://.shop.example',
    'null',
  ]) {
    assert.deepEqual(outcome(await open({ Origin: origin })), [403, `Origin not allowed: ${origin}`]);
  }
  assert.equal((await open({})).status, 403);
  const { json } = await open({ Origin: 'https://shop.example' });
  const send = (origin: string) => service.send(String(json['conversation_id']), 'Hi', { Origin: origin });
  assert.equal((await send('https://shop.example')).status, 200);
  assert.equal((await send('https://evil.example')).status, 403);
  const { rows } = await pool.query(
    'SELECT messages FROM daily_usage WHERE assistant_id = $1 AND kind = $2',
    [id, 'assistant'],
  );
  assert.deepEqual(rows, [{ messages: 1 }]);
});

const open = (uuid: string, address: string, fields = {}) =>
  service.post('/api/conversations', { assistant_id: uuid, ...fields }, from(address));
const used = async (assistantId: number, kind: string) => {
  const query =
    'SELECT conversations, messages, bytes::integer FROM daily_usage WHERE assistant_id = $1 AND kind = $2';
  const { rows } = await pool.query<{ conversations: number; messages: number; bytes: number }>(query, [
    assistantId,
    kind,
  ]);
  return rows[0];
};

test('a visitor can open as many conversations in a day as they may send messages', async () => {
  const { uuid } = await createAssistant(service, { limits: { maxVisitorMessagesPerDay: 2 } });
  const outcomes: unknown[] = [];
  for (const address of ['203.0.113.5', '203.0.113.5', '203.0.113.5', '203.0.113.6']) {
    outcomes.push(outcome(await open(uuid, address)));
  }
  assert.deepEqual(outcomes, [answered, answered, limitReached, answered]);
});

test('a repeated opening with the same idempotency key counts once', async () => {
  const { uuid } = await createAssistant(service, { limits: { maxVisitorMessagesPerDay: 1 } });
  const headers = { ...from('203.0.113.5'), 'Idempotency-Key': 'open once' };
  const openOnce = () => service.post('/api/conversations', { assistant_id: uuid }, headers);
  const [first, second] = [await openOnce(), await openOnce()];
  assert.equal(first.status, 200);
  assert.equal(second.json['conversation_id'], first.json['conversation_id']);
});

test('the data that a visitor stores in a day have a limit, which other visitors do not share', async () => {
  const { uuid, id } = await createAssistant(service, { balance: '1' });
  const opened = await open(uuid, '203.0.113.5', { variables: { note: 'x'.repeat(1000) } });
  const conversation = String(opened.json['conversation_id']);
  const send = async (address: string) =>
    outcome(await service.send(conversation, 'y'.repeat(1000), from(address)));
  assert.deepEqual(await send('203.0.113.5'), answered);
  const stored = (await used(id, 'visitor'))?.bytes ?? 0;
  assert.ok(stored > 2000 && stored < 2200, String(stored));

  const almost = 10 * 2 ** 20 - 500;
  await pool.query("UPDATE daily_usage SET bytes = $2 WHERE assistant_id = $1 AND kind = 'visitor'", [
    ...[id, almost],
  ]);
  assert.deepEqual(await send('203.0.113.5'), limitReached);
  assert.deepEqual(outcome(await service.send(conversation, 'Short', from('203.0.113.5'))), answered);
  const variables = { note: 'x'.repeat(1000) };
  assert.deepEqual(outcome(await open(uuid, '203.0.113.5', { variables })), limitReached);
  assert.deepEqual(await send('203.0.113.6'), answered);
});

test('the data that all visitors of an assistant store in a day have a limit', async () => {
  const { uuid, id } = await createAssistant(service, { balance: '1' });
  const opened = await open(uuid, '203.0.113.5');
  const conversation = String(opened.json['conversation_id']);
  await pool.query("UPDATE daily_usage SET bytes = $2 WHERE assistant_id = $1 AND kind = 'assistant'", [
    ...[id, 2 ** 30 - 500],
  ]);
  assert.deepEqual(outcome(await service.send(conversation, 'y'.repeat(1000))), limitReached);
  assert.deepEqual(
    outcome(await open(uuid, '203.0.113.7', { variables: { note: 'x'.repeat(1000) } })),
    limitReached,
  );
});

test("a message whose reply fails does not count for the assistant, but does for its visitor's limit", async () => {
  const unreachable = await startService({
    ...{ TRUST_PROXY: '1', RATE_LIMIT: '0', LLM_API_KEY: 'sk-key' },
    LLM_BASE_URL: `http://127.0.0.1:${await freePort()}/v1`,
  });
  const { uuid, id } = await createAssistant(service, { balance: '1', limits: { maxMessagesPerDay: 1 } });
  const conversation = await service.open(uuid);
  const failed = await unreachable.send(conversation, 'Hi', from('203.0.113.5'));
  assert.match(String(failed.json['error']), /cannot be reached/);
  assert.equal((await used(id, 'assistant'))?.messages, 0);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', from('203.0.113.5'))), answered);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', from('203.0.113.5'))), limitReached);
  const { rows } = await pool.query(
    'SELECT messages FROM daily_usage WHERE assistant_id = $1 AND subject = $2',
    [...[id, '203.0.113.5']],
  );
  assert.deepEqual(rows, [{ messages: 2 }]);
});

test("messages that a person answers count for their visitor's limit only", async () => {
  const { uuid, id } = await createAssistant(service, {
    balance: '1',
    limits: { maxMessagesPerDay: 0, maxVisitorMessagesPerDay: 2 },
  });
  const conversation = await service.open(uuid);
  await pool.query('UPDATE conversations SET ai_enabled = false WHERE uuid = $1', [conversation]);
  const send = async () => outcome(await service.send(conversation, 'Hi', from('203.0.113.5')));
  assert.deepEqual([await send(), await send(), await send()], [answered, answered, limitReached]);
  assert.equal((await used(id, 'assistant'))?.messages, 0);
});

test('an owner who lowers the daily limit below its use can still talk to visitors', async () => {
  const { uuid, id } = await createAssistant(service, { balance: '1' });
  const conversation = await service.open(uuid);
  const send = async () => outcome(await service.send(conversation, 'Hi'));
  assert.deepEqual([await send(), await send()], [answered, answered]);
  await pool.query('UPDATE assistants SET max_messages_per_day = 1 WHERE id = $1', [id]);
  assert.deepEqual(await send(), limitReached);
  await pool.query('UPDATE conversations SET ai_enabled = false WHERE uuid = $1', [conversation]);
  assert.deepEqual(await send(), answered);
  await service.open(uuid);
});

test('addresses of one IPv6 /48 share four times the limit of a visitor', async () => {
  const { uuid } = await createAssistant(service, { balance: '1', limits: { maxVisitorMessagesPerDay: 1 } });
  const opened = await open(uuid, '203.0.113.5');
  const conversation = String(opened.json['conversation_id']);
  const outcomes: unknown[] = [];
  for (let block = 1; block <= 5; block++) {
    outcomes.push(outcome(await service.send(conversation, 'Hi', from(`2001:db8:7:${block}::1`))));
  }
  assert.deepEqual(outcomes, [answered, answered, answered, answered, limitReached]);
  assert.deepEqual(outcome(await service.send(conversation, 'Hi', from('2001:db8:8:1::1'))), answered);
});
