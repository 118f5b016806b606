import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startModelServer } from '../../support/servers/model-server.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import {
  atEnd,
  createAssistant,
  newDatabase,
  readMoney,
  startService,
  testDatabase,
} from '../../support/service/service.ts';

if (testDatabase === 'pglite') {
  test(
    'two processes share a database',
    { skip: 'an embedded database belongs to one process' },
    () => undefined,
  );
} else {
  const model = await startModelServer();
  atEnd(() => model.close());
  const env = {
    ...(await newDatabase()),
    LLM_BASE_URL: model.url,
    LLM_API_KEY: 'sk-test',
    REPLY_LEASE_SECONDS: '4',
  };
  const here = await startService(env);
  const [first, second] = [await startServiceProcess(env), await startServiceProcess(env)];
  const { uuid: assistant, userId } = await createAssistant(here, { balance: '100' });

  test('answer messages of one conversation one after the other', async () => {
    const conversation = await first.open(assistant);
    const calls = model.requests.length;
    await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? first : second).send(conversation, `Message ${index}`),
      ),
    );
    assert.deepEqual(
      model.requests
        .slice(calls)
        .map(({ messages }) => messages.filter(({ role }) => role !== 'system').length),
      [1, 3, 5, 7, 9, 11, 13, 15],
    );
    const history = await second.history(conversation);
    for (let line = 0; line < 16; line += 2) {
      assert.equal(history[line + 1], `assistant: You said: ${history[line]?.replace('user: ', '')}`);
    }
  });

  test('let a repeat wait for the answer that the other is writing', async () => {
    const conversation = await first.open(assistant);
    const key = { 'Idempotency-Key': randomUUID() };
    const gate = Promise.withResolvers<undefined>();
    model.behave({ gate: gate.promise, chunks: ['Slow ', 'answer'] });
    const calls = model.requests.length;
    const { balance } = await readMoney(here, userId);
    const answers = [first.send(conversation, 'Race', key)];
    await model.received(calls + 1);
    answers.push(second.send(conversation, 'Race', key));
    const stream = await second.stream(conversation, 'Race', key);
    gate.resolve(undefined);
    for (const { json } of await Promise.all(answers)) assert.equal(json['message'], 'Slow answer');
    assert.deepEqual(
      (await stream.all()).map(({ event }) => event),
      ['delta', 'done'],
    );
    assert.equal(model.requests.length, calls + 1);
    assert.ok(Math.abs(balance - (await readMoney(here, userId)).balance - 0.01) < 1e-9);
    model.behave({});
  });

  test('open one conversation for concurrent requests with one key', async () => {
    const key = { 'Idempotency-Key': randomUUID() };
    const answers = await Promise.all(
      [first, second, first, second].map((service) =>
        service.post('/api/conversations', { assistant_id: assistant }, key),
      ),
    );
    assert.equal(new Set(answers.map(({ json }) => json['conversation_id'])).size, 1);
  });

  test('give ten answers to fifty concurrent messages on a balance for ten', async () => {
    const lowBalance = await createAssistant(here, { balance: '0.10' });
    const conversations = await Promise.all(Array.from({ length: 10 }, () => first.open(lowBalance.uuid)));
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        (index % 2 ? first : second).send(conversations[index % 10] ?? '', `Message ${index}`),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 10);
    assert.equal(answers.filter(({ status }) => status === 400).length, 40);
    assert.deepEqual(await readMoney(here, lowBalance.userId), { balance: 0, ledger: 0 });
  });

  test('stop a reply that the other is writing', async () => {
    const conversation = await first.open(assistant);
    const gate = Promise.withResolvers<string>();
    model.behave({ chunks: ['One ', 'two ', gate.promise, 'three'] });
    const { balance } = await readMoney(here, userId);
    const stream = await first.stream(conversation, 'Count');
    await stream.until((events) => events.length === 2);
    const { status } = await second.post(`/api/conversations/${conversation}/stop`, undefined);
    assert.equal(status, 200);
    const done = (await stream.all()).at(-1);
    assert.deepEqual([done?.event, done?.data['message']], ['done', 'One two ']);
    assert.deepEqual(await second.history(conversation), ['user: Count', 'assistant: One two ']);
    assert.ok(Math.abs(balance - (await readMoney(here, userId)).balance - 0.01) < 1e-9);
    gate.resolve('');
    model.behave({});
  });

  test('end a reply when the other deletes its conversation', async () => {
    const conversation = await first.open(assistant);
    const gate = Promise.withResolvers<string>();
    model.behave({ chunks: ['One ', gate.promise, 'two'] });
    const stream = await first.stream(conversation, 'Count');
    await stream.until((events) => events.length === 1);
    const { status } = await second.request('DELETE', `/api/conversations/${conversation}`);
    assert.equal(status, 200);
    const end = (await stream.all()).at(-1);
    assert.deepEqual(end, { event: 'error', data: { status: false, error: 'Conversation not found' } });
    gate.resolve('');
    model.behave({});
  });

  test('two processes share one rate limit', async () => {
    const limited = { ...env, RATE_LIMIT: '6', TRUST_PROXY: '1' };
    const [left, right] = [await startServiceProcess(limited), await startServiceProcess(limited)];
    const visitor = { 'X-Forwarded-For': '198.51.100.7' };
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        (index % 2 ? left : right).get(`/api/conversations/${randomUUID()}`, visitor),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 404).length, 6);
    assert.equal(answers.filter(({ status }) => status === 429).length, 10);
  });

  test('refund the replies of a dead process and continue the conversation', async () => {
    const owner = await createAssistant(here, { balance: '1' });
    const killed = await startServiceProcess(env);
    const conversation = await killed.open(owner.uuid);
    model.behave(({ messages }) =>
      messages.at(-1)?.content === 'Lost' ? { chunks: ['…'], ending: 'silence' } : {},
    );
    const stream = await killed.stream(conversation, 'Lost');
    await stream.until((events) => events.length > 0);
    // Waits for the reply that never ends.
    const next = second.send(conversation, 'Still there?');
    killed.signal('SIGKILL');
    assert.equal((await next).json['message'], 'You said: Still there?');
    let money = await readMoney(here, owner.userId);
    while (money.balance !== 0.99) money = await readMoney(here, owner.userId);
    assert.equal(money.ledger, 0.99);
    assert.deepEqual(await first.history(conversation), [
      'user: Still there?',
      'assistant: You said: Still there?',
    ]);
    model.behave({});
  });
}
