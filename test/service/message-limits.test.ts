import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAssistant, readMoney, startService } from '../support/service/service.ts';
import type { ServiceAnswer } from '../support/service/service-client.ts';

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
  const { rows } = await pool.query('SELECT used FROM daily_usage WHERE assistant_id = $1 AND kind = $2', [
    id,
    'assistant',
  ]);
  assert.deepEqual(rows, [{ used: 1 }]);
});
