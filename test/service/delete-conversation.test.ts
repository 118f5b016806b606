import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startModelServer } from '../support/servers/model-server.ts';
import { runCli } from '../../src/service/cli/run-cli.ts';
import { atEnd, createAssistant, readMoney, startService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const { pool } = service.running.database;
const forget = (conversation: string) => service.request('DELETE', `/api/conversations/${conversation}`);
const notFound = { status: false, error: 'Conversation not found' };

/** Counts the rows that contain a text in any column. */
async function rowsWith(text: string): Promise<number> {
  const { rows } = await pool.query<{ count: string }>(
    `SELECT (SELECT count(*) FROM conversations c WHERE c::text LIKE $1) +
            (SELECT count(*) FROM messages m WHERE m::text LIKE $1) AS count`,
    [`%${text}%`],
  );
  return Number(rows[0]?.count);
}

test('deletes a conversation with its messages, variables and results, but not its ledger entries', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '1' });
  const secret = randomUUID();
  const conversation = await service.open(uuid, { variables: { a: `var ${secret}` } });
  const tool_results = [{ name: 'look', arguments: {}, result: `result ${secret}` }];
  const key = { 'Idempotency-Key': randomUUID() };
  await service.send(conversation, `text ${secret}`, key, { tool_results });
  assert.equal(await rowsWith(secret), 3);

  const { status, json } = await forget(conversation);
  assert.deepEqual([status, json], [200, { status: true }]);
  assert.equal(await rowsWith(secret), 0);
  assert.deepEqual(await readMoney(service, userId), { balance: 0.99, ledger: 0.99 });
  const { rows } = await pool.query(
    'SELECT kind, message_id FROM ledger_entries WHERE user_id = $1 ORDER BY id',
    [userId],
  );
  assert.deepEqual(rows, [
    { kind: 'top_up', message_id: null },
    { kind: 'charge', message_id: null },
  ]);
});

test('returns 404 for every operation on a deleted or unknown conversation', async () => {
  const { uuid } = await createAssistant(service);
  const deleted = await service.open(uuid);
  await service.send(deleted, 'Hello');
  await forget(deleted);
  for (const conversation of [deleted, randomUUID(), 'abc']) {
    for (const answer of [
      await service.get(`/api/conversations/${conversation}`),
      await service.send(conversation, 'Hello?'),
      await service.post(`/api/conversations/${conversation}/stop`, undefined),
      await forget(conversation),
    ]) {
      assert.deepEqual([answer.status, answer.json], [404, notFound]);
    }
  }
});

test('keeps the other conversations of the assistant', async () => {
  const { uuid } = await createAssistant(service);
  const [first, second] = [await service.open(uuid), await service.open(uuid)];
  await service.send(second, 'Mine');
  await forget(first.toUpperCase());
  assert.deepEqual(await service.history(second), ['user: Mine', 'assistant: You said: Mine']);
});

test('aborts a pending reply when its conversation is deleted, and keeps its charge', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '1' });
  const conversation = await service.open(uuid);
  const gate = Promise.withResolvers<string>();
  model.behave({ chunks: ['One ', gate.promise] });
  const stream = await service.stream(conversation, 'Count');
  await stream.until((events) => events.length === 1);
  assert.equal((await forget(conversation)).status, 200);
  assert.deepEqual((await stream.all()).at(-1), { event: 'error', data: notFound });
  assert.deepEqual(await readMoney(service, userId), { balance: 0.99, ledger: 0.99 });
  gate.resolve('');
  model.behave({});
});

test('aborts a pending reply when a command deletes its conversation', async () => {
  const { uuid } = await createAssistant(service);
  const conversation = await service.open(uuid);
  const gate = Promise.withResolvers<string>();
  model.behave({ chunks: ['One ', gate.promise] });
  const stream = await service.stream(conversation, 'Count');
  await stream.until((events) => events.length === 1);
  const streams = { out: () => undefined, err: () => undefined };
  const args = ['person', 'delete', '--conversation', conversation, '--yes'];
  assert.equal(await runCli(args, {}, streams, service.running.database), 0);
  assert.deepEqual((await stream.all()).at(-1), { event: 'error', data: notFound });
  gate.resolve('');
  model.behave({});
});

test('refunds an abandoned reply before its conversation is deleted', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '1' });
  const conversation = await service.open(uuid);
  await service.send(conversation, 'Hello');
  // The state after the process of a reply died.
  await pool.query(
    `UPDATE messages SET reply_state = 'pending', reply_owner = gen_random_uuid(), reply_lease_until = now() - interval '1 hour'
     WHERE role = 'user' AND conversation_id = (SELECT id FROM conversations WHERE uuid = $1)`,
    [conversation],
  );
  await forget(conversation);
  assert.deepEqual(await readMoney(service, userId), { balance: 1, ledger: 1 });
});

test('handles concurrent messages and deletions in any order', async () => {
  const { uuid, userId } = await createAssistant(service, { balance: '10' });
  for (let round = 0; round < 5; round++) {
    const conversation = await service.open(uuid);
    const answers = await Promise.all([
      service.send(conversation, 'One'),
      service.send(conversation, 'Two'),
      forget(conversation),
      service.post(`/api/conversations/${conversation}/stop`, undefined),
      forget(conversation),
    ]);
    for (const { status } of answers) assert.ok(status === 200 || status === 404, String(status));
    assert.equal((await service.get(`/api/conversations/${conversation}`)).status, 404);
  }
  const { balance, ledger } = await readMoney(service, userId);
  assert.equal(balance, ledger);
});

test('opens another conversation with the key of a deleted one', async () => {
  const { uuid } = await createAssistant(service);
  const key = { 'Idempotency-Key': randomUUID() };
  const open = async () =>
    (await service.post('/api/conversations', { assistant_id: uuid }, key)).json['conversation_id'] as string;
  const first = await open();
  assert.equal(await open(), first);
  await forget(first);
  assert.notEqual(await open(), first);
});
