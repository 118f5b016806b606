import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { createApiKey } from '../support/service/create-api-key.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, createUser, readMoney, startService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const { db } = service.running.database;
const bearer = async (userId: number) => ({
  Authorization: `Bearer ${await createApiKey(db, userId, 'Desk')}`,
});

const { uuid: assistant, userId } = await createAssistant(service, { balance: '10' });
const owner = await bearer(userId);
const switchAi = (conversation: string, action: 'enable-ai' | 'disable-ai', headers = owner) =>
  service.post(`/api/automate/conversations/${conversation}/${action}`, undefined, headers);
const write = (conversation: string, body: unknown, headers = owner) =>
  service.post(`/api/user/conversations/${conversation}/messages`, body, headers);
const read = async (conversation: string) => (await service.get(`/api/conversations/${conversation}`)).json;

test('lets a person take over, answer and hand back', async () => {
  const conversation = await service.open(assistant);
  await service.send(conversation, 'Hello?');
  const taken = await switchAi(conversation, 'disable-ai');
  assert.deepEqual([taken.status, taken.json], [200, { status: true, ai_enabled: false }]);
  assert.equal((await read(conversation))['ai_enabled'], false);

  await service.send(conversation, 'Anybody there?');
  const written = await write(conversation, { message: 'Yes, Hanna here.' });
  assert.deepEqual([written.status, written.json], [200, { status: true }]);

  const response = await switchAi(conversation, 'enable-ai');
  assert.deepEqual(response.json, { status: true, ai_enabled: true });
  assert.equal((await read(conversation))['ai_enabled'], true);
  await service.send(conversation, 'And now?');
  assert.deepEqual(await service.history(conversation), [
    'user: Hello?',
    'assistant: You said: Hello?',
    'system: A person has joined the conversation.',
    'user: Anybody there?',
    'assistant: Yes, Hanna here.',
    'system: The assistant is back.',
    'user: And now?',
    'assistant: You said: And now?',
  ]);
  // The model gets all messages, but no system messages.
  assert.deepEqual(
    model.requests
      .at(-1)
      ?.messages.slice(1)
      .map(({ role, content }) => `${role}: ${content}`),
    [
      'user: Hello?',
      'assistant: You said: Hello?',
      'user: Anybody there?',
      'assistant: Yes, Hanna here.',
      'user: And now?',
    ],
  );
});

test('stores a message to a person free of charge, with an empty answer', async () => {
  const conversation = await service.open(assistant);
  await switchAi(conversation, 'disable-ai');
  const before = await readMoney(service, userId);
  const calls = model.requests.length;
  const expected = { status: true, message: '', function_calls: [], ai_enabled: false };
  const key = { 'Idempotency-Key': randomUUID() };
  const first = await service.send(conversation, 'One', key);
  assert.deepEqual([first.status, first.json], [200, expected]);
  assert.deepEqual((await service.send(conversation, 'One', key)).json, expected);
  const events = await (await service.stream(conversation, 'Two')).all();
  assert.deepEqual(events, [{ event: 'done', data: expected }]);
  assert.deepEqual((await service.history(conversation)).slice(1), ['user: One', 'user: Two']);
  assert.deepEqual(await readMoney(service, userId), before);
  assert.equal(model.requests.length, calls);
});

test('lets an owner without a balance talk to visitors', async () => {
  const lowBalance = await createAssistant(service, { balance: '0.01' });
  const conversation = await service.open(lowBalance.uuid);
  await service.send(conversation, 'Last cent');
  await switchAi(conversation, 'disable-ai', await bearer(lowBalance.userId));
  assert.equal((await service.send(conversation, 'More')).status, 200);
});

test('announces changes only', async () => {
  const conversation = await service.open(assistant);
  for (const action of ['enable-ai', 'disable-ai', 'disable-ai', 'enable-ai', 'enable-ai'] as const) {
    assert.equal((await switchAi(conversation, action)).status, 200);
  }
  assert.equal((await service.history(conversation)).length, 2);
});

test('finishes the pending reply when a person joins, with ai_enabled false', async () => {
  const conversation = await service.open(assistant);
  const gate = Promise.withResolvers<string>();
  model.behave({ chunks: ['Well, ', gate.promise, 'yes.'] });
  const stream = await service.stream(conversation, 'Is it?');
  await stream.until((events) => events.length === 1);
  await switchAi(conversation, 'disable-ai');
  gate.resolve('');
  const done = (await stream.all()).at(-1);
  model.behave({});
  assert.deepEqual([done?.data['message'], done?.data['ai_enabled']], ['Well, yes.', false]);
  assert.deepEqual(await service.history(conversation), [
    'user: Is it?',
    'assistant: Well, yes.',
    'system: A person has joined the conversation.',
  ]);
});

test("returns 404 for another user's conversation", async () => {
  const conversation = await service.open(assistant);
  const otherUser = await bearer(await createUser(service.running, '0'));
  for (const [uuid, headers] of [
    [conversation, otherUser],
    [randomUUID(), owner],
    ['abc', owner],
  ] as const) {
    const message = 'Conversation not found';
    for (const action of ['disable-ai', 'enable-ai'] as const) {
      const refused = await switchAi(uuid, action, headers);
      assert.deepEqual([refused.status, refused.json], [404, { status: false, error: message, message }]);
    }
    const answer = await write(uuid, { message: 'Hi' }, headers);
    assert.deepEqual([answer.status, answer.json], [404, { message }]);
  }
  assert.deepEqual(await service.history(conversation), []);
  assert.equal((await read(conversation))['ai_enabled'], true);
});

test('returns 401 without a valid key', async () => {
  const conversation = await service.open(assistant);
  for (const headers of [{}, { Authorization: 'Bearer vac_wrong' }]) {
    for (const path of [
      `/api/automate/conversations/${conversation}/disable-ai`,
      `/api/automate/conversations/${conversation}/enable-ai`,
      `/api/automate/anything`,
      `/api/user/conversations/${conversation}/messages`,
    ]) {
      const { status, json } = await service.post(path, { message: 'Hi' }, headers);
      const message = 'Unauthenticated.';
      const expected = path.startsWith('/api/automate/')
        ? { status: false, error: message, message }
        : { message };
      assert.deepEqual([status, json], [401, expected]);
    }
  }
});

test("limits a person's message like a visitor's, with errors in the format of keyed endpoints", async () => {
  const conversation = await service.open(assistant);
  const tooLong = 'message may have at most 2000 characters';
  for (const [body, error] of [
    [{}, 'message is required'],
    [{ message: ' ' }, 'message is required'],
    [{ message: 'x'.repeat(2001) }, tooLong],
    ['{', 'the body must be valid JSON'],
  ] as const) {
    const { status, json } = await write(conversation, body);
    assert.deepEqual([status, json], [422, { message: error, errors: { message: [error] } }]);
  }
  assert.equal((await write(conversation, { message: '😀'.repeat(2000) })).status, 200);
  const { status, json } = await write(conversation, { message: 'x'.repeat(1_100_000) });
  assert.equal(status, 413);
  assert.deepEqual(Object.keys(json), ['message']);
});

test("returns a person's name with their messages, in the history and in events", async () => {
  const conversation = await service.open(assistant);
  const { events_cursor: cursor } = await read(conversation);
  await write(conversation, { message: 'Hello.', author: ' Hanna Weiß ' });
  await write(conversation, { message: 'Without a name.', author: null });
  await write(conversation, { message: 'With an empty name.', author: ' ' });
  const names = ['Hanna Weiß', undefined, undefined];
  const history = (await read(conversation))['history'] as Record<string, unknown>[];
  assert.deepEqual(
    history.slice(-3).map(({ author }) => author),
    names,
  );
  assert.deepEqual(
    history.slice(-3).map((entry) => 'author' in entry),
    [true, false, false],
  );
  const stream = await service.watch(conversation, `?after=${String(cursor)}`);
  const events = await stream.until((all) => all.length === 4);
  stream.disconnect();
  assert.deepEqual(
    events.filter(({ event }) => event === 'message').map(({ data }) => data['author']),
    names,
  );
});

test('names the event that a system message reports, so that clients can translate it', async () => {
  const conversation = await service.open(assistant);
  await switchAi(conversation, 'disable-ai');
  await write(conversation, { message: 'Hello.' });
  await switchAi(conversation, 'enable-ai');
  const history = (await read(conversation))['history'] as Record<string, unknown>[];
  assert.deepEqual(
    history.map(({ role, event }) => [role, event]),
    [
      ['system', 'person_joined'],
      ['assistant', undefined],
      ['system', 'person_left'],
    ],
  );
});

test("refuses a person's name that is no short text", async () => {
  const conversation = await service.open(assistant);
  for (const [author, error] of [
    [7, 'author must be a string'],
    ['x'.repeat(101), 'author may have at most 100 characters'],
    ['a\0b', 'author must not contain null characters'],
  ]) {
    const { status, json } = await write(conversation, { message: 'Hello.', author });
    assert.deepEqual([status, json], [422, { message: error, errors: { author: [error] } }]);
  }
  assert.deepEqual(await service.history(conversation), []);
});

test('stores concurrent messages of a person in order', async () => {
  const conversation = await service.open(assistant);
  await Promise.all([
    ...Array.from({ length: 6 }, (_, index) => write(conversation, { message: `Line ${index}` })),
    ...Array.from({ length: 3 }, (_, index) => service.send(conversation, `Question ${index}`)),
  ]);
  const history = await service.history(conversation);
  assert.equal(history.length, 12);
  assert.equal(new Set(history).size, 12);
});
