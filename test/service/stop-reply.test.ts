import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { StopRequests } from '../../src/service/conversation/stop-requests.ts';
import type { Database } from '../../src/service/db/database.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, readMoney, startService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const stop = (conversation: string) => service.post(`/api/conversations/${conversation}/stop`, undefined);

/** Opens a conversation whose first reply has sent "One two " and continues when `resume` is called. */
async function startReply(options: { balance?: string } = {}) {
  const { uuid, userId } = await createAssistant(service, options);
  const conversation = await service.open(uuid);
  const gate = Promise.withResolvers<string>();
  model.behave(({ messages }) =>
    messages.at(-1)?.content === 'Count' ? { chunks: ['One ', 'two ', gate.promise, 'three'] } : {},
  );
  const key = { 'Idempotency-Key': randomUUID() };
  const stream = await service.stream(conversation, 'Count', key);
  await stream.until((events) => events.length === 2);
  const resume = () => {
    gate.resolve('');
  };
  return { conversation, userId, stream, key, resume };
}

test('ends a stopped reply and keeps its text as the answer', async () => {
  const { conversation, stream, resume } = await startReply();
  const { status, json } = await stop(conversation);
  assert.deepEqual([status, json], [200, { status: true }]);
  const done = (await stream.all()).at(-1);
  assert.deepEqual([done?.event, done?.data['message']], ['done', 'One two ']);
  assert.deepEqual(await service.history(conversation), ['user: Count', 'assistant: One two ']);
  resume();
});

test('bills a stopped reply once, however often it is stopped', async () => {
  const { conversation, stream, userId, resume } = await startReply({ balance: '1' });
  const answers = await Promise.all([1, 2, 3].map(() => stop(conversation)));
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  await stream.all();
  assert.deepEqual(await readMoney(service, userId), { balance: 0.99, ledger: 0.99 });
  assert.equal((await service.history(conversation)).length, 2);
  resume();
});

test('returns the same answer for a repeat of a stopped message', async () => {
  const { conversation, stream, key, resume } = await startReply();
  await stop(conversation);
  await stream.all();
  assert.equal((await service.send(conversation, 'Count', key)).json['message'], 'One two ');
  resume();
});

test('stores an empty answer for a reply that is stopped before its first word, and does not send it to the model', async () => {
  const { uuid } = await createAssistant(service);
  const conversation = await service.open(uuid);
  const gate = Promise.withResolvers<undefined>();
  const calls = model.requests.length;
  model.behave({ gate: gate.promise });
  const answer = service.send(conversation, 'Think');
  await model.received(calls + 1);
  await stop(conversation);
  const { status, json } = await answer;
  assert.deepEqual([status, json['message']], [200, '']);
  gate.resolve(undefined);
  model.behave({});
  await service.send(conversation, 'Next');
  assert.deepEqual(await service.history(conversation), [
    'user: Think',
    'assistant: ',
    'user: Next',
    'assistant: You said: Next',
  ]);
  assert.deepEqual(
    model.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ content }) => content),
    ['Think', 'Next'],
  );
});

test('stops only the current reply and answers the waiting message', async () => {
  const { conversation, stream, resume } = await startReply();
  const next = service.send(conversation, 'Next');
  const { pool } = service.running.database;
  for (let turns = 0; turns < 2;) {
    await nextTurn();
    const { rows } = await pool.query<{ turns: number }>('SELECT turns FROM conversations WHERE uuid = $1', [
      conversation,
    ]);
    turns = rows[0]?.turns ?? 0;
  }
  await stop(conversation);
  await stream.all();
  assert.equal((await next).json['message'], 'You said: Next');
  resume();
});

test('has no effect without a reply', async () => {
  model.behave({});
  const { uuid } = await createAssistant(service);
  const conversation = await service.open(uuid);
  assert.equal((await stop(conversation)).status, 200);
  await service.send(conversation, 'Hello');
  assert.equal((await stop(conversation)).status, 200);
  assert.equal((await service.send(conversation, 'Again')).json['message'], 'You said: Again');
});

test('returns 404 for an unknown conversation', async () => {
  for (const conversation of [randomUUID(), 'abc']) {
    const { status, json } = await stop(conversation);
    assert.deepEqual([status, json], [404, { status: false, error: 'Conversation not found' }]);
  }
});

test('polls for requests to other processes, also for a reply that starts during a query', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const queries: PromiseWithResolvers<{ id: number; isStopped: boolean }[]>[] = [];
  const startQuery = () => {
    const query = Promise.withResolvers<{ id: number; isStopped: boolean }[]>();
    queries.push(query);
    return query.promise;
  };
  const db = { select: () => ({ from: () => ({ where: startQuery }) }) } as unknown as Database['db'];
  const watch = new StopRequests({ ...service.running.database, db });
  watch.watch(1);
  t.mock.timers.tick(500);
  assert.equal(queries.length, 1);
  watch.release(1);
  const signal = watch.watch(2);
  t.mock.timers.tick(500);
  queries[0]?.resolve([]);
  await nextTurn();
  t.mock.timers.tick(500);
  assert.equal(queries.length, 2);
  queries[1]?.resolve([{ id: 2, isStopped: true }]);
  await nextTurn();
  assert.equal(signal.aborted, true);
  watch.release(2);
  t.mock.timers.tick(5000);
  assert.equal(queries.length, 2);
});
