import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { linesOf } from '../support/service/service-client.ts';
import { createAssistant, startService } from '../support/service/service.ts';

const service = await startService();

async function openWith(assistant: { variables?: Record<string, unknown> }, variables: unknown) {
  const { uuid } = await createAssistant(service, {
    initialMessage: 'Hi {{first_name}} from {{city}}.',
    ...assistant,
  });
  return service.post('/api/conversations', { assistant_id: uuid, variables });
}

test("merges the request's variables over the assistant's", async () => {
  const { json } = await openWith({ variables: { first_name: 'you', city: 'Oslo' } }, { first_name: 'Ada' });
  assert.deepEqual(linesOf(json['history']), ['assistant: Hi Ada from Oslo.']);
  const { json: read } = await service.get(`/api/conversations/${String(json['conversation_id'])}`);
  assert.deepEqual(read['variables'], { first_name: 'Ada', city: 'Oslo' });
});

test('accepts an empty list as no variables, as PHP writes an empty map, and refuses other lists', async () => {
  const opened = await openWith({}, []);
  assert.equal(opened.status, 200);
  const conversation = String(opened.json['conversation_id']);
  assert.equal((await service.get(`/api/conversations/${conversation}`)).json['variables'], null);
  assert.equal((await service.send(conversation, 'Hello', {}, { variables: [] })).status, 200);
  for (const { status, json } of [
    await openWith({}, ['Ada']),
    await service.send(conversation, 'Hello', {}, { variables: ['Ada'] }),
  ]) {
    assert.deepEqual([status, json['error']], [422, 'variables must be an object']);
  }
});

test('returns null for a conversation without variables', async () => {
  const { json } = await openWith({}, undefined);
  const { json: read } = await service.get(`/api/conversations/${String(json['conversation_id'])}`);
  assert.equal(read['variables'], null);
});

test('stores unusual names and values unchanged', async () => {
  const variables = JSON.parse(
    '{"constructor":"c","a b":"\\u2028\\ud83d\\ude00","nested":{"list":[1,null,true,"x"]},"":"empty name","big":1e308}',
  ) as Record<string, unknown>;
  const { json } = await openWith({}, variables);
  const { json: read } = await service.get(`/api/conversations/${String(json['conversation_id'])}`);
  assert.deepEqual(read['variables'], variables);
});

test('replaces a lone surrogate in a variable by U+FFFD', async () => {
  const { status, json } = await openWith({}, { first_name: '\ud83d' });
  assert.equal(status, 200);
  assert.deepEqual(linesOf(json['history']), ['assistant: Hi \ufffd from .']);
});

const name = (length: number) => 'n'.repeat(length);
const many = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'x']));
const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });

const limits: [title: string, variables: unknown, status: number][] = [
  ['100 variables', many(100), 200],
  ['101 variables', many(101), 422],
  ['a name of 64 characters', { [name(64)]: 'x' }, 200],
  ['a name of 65 characters', { [name(65)]: 'x' }, 422],
  ['a value of 2,000 emoji', { a: '😀'.repeat(2000) }, 200],
  ['a value of 2,001 characters', { a: 'x'.repeat(2001) }, 422],
  ['a list of 2,000 characters as JSON', { a: ['x'.repeat(1996)] }, 200],
  ['a list of 2,001 characters as JSON', { a: ['x'.repeat(1997)] }, 422],
  ['a null character in a value', { a: 'x\0y' }, 422],
  ['a null character in a name', { 'x\0y': 'a' }, 422],
  ['a null character deep inside', { a: { b: ['\0'] } }, 422],
  ['62 levels of nesting', { a: nested(60) }, 200],
  ['nesting past the limit', { a: nested(70) }, 422],
];
for (const [title, variables, expected] of limits) {
  test(`${title}: ${expected}`, async () => {
    const { status, json } = await openWith({}, variables);
    assert.equal(status, expected, JSON.stringify(json));
    if (expected === 422) assert.match(json['error'] as string, /variables|nested/);
  });
}

test('refuses nesting that would exhaust a stack', async () => {
  const { uuid } = await createAssistant(service);
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const { status } = await service.post(
    '/api/conversations',
    `{"assistant_id":"${uuid}","variables":{"a":${deep}}}`,
  );
  assert.equal(status, 422);
});

test('lets neither a page nor a visitor set or read private variables', async () => {
  const { uuid } = await createAssistant(service, {
    initialMessage: 'Your discount is {{discount}} %, {{first_name}}.',
    variables: { discount: '5', margin: '40', first_name: 'you' },
    limits: { privateVariables: ['discount', 'margin', 'other'] },
  });
  const forged = { discount: '100', margin: '0', other: 'x', first_name: 'Ada' };
  const { json } = await service.post('/api/conversations', { assistant_id: uuid, variables: forged });
  assert.deepEqual(linesOf(json['history']), ['assistant: Your discount is 5 %, Ada.']);
  const conversation = String(json['conversation_id']);
  assert.equal((await service.send(conversation, 'Hi', {}, { variables: forged })).status, 200);
  const { json: read } = await service.get(`/api/conversations/${conversation}`);
  assert.deepEqual(read['variables'], { first_name: 'Ada' });
  const { rows } = await service.running.database.pool.query(
    'SELECT variables FROM conversations WHERE uuid = $1',
    [conversation],
  );
  assert.deepEqual(rows, [{ variables: { discount: '5', margin: '40', first_name: 'Ada' } }]);
});

describe('variables of a message', () => {
  const send = (conversation: string, variables: unknown) =>
    service.send(conversation, 'Hello', {}, { variables });
  const read = async (conversation: string) =>
    (await service.get(`/api/conversations/${conversation}`)).json['variables'];

  test('are merged over those of the conversation permanently', async () => {
    const { uuid } = await createAssistant(service, { variables: { city: 'Oslo' } });
    const conversation = await service.open(uuid, { variables: { page: '/', cart: ['boots'] } });
    assert.equal((await send(conversation, { page: '/tents', first_name: 'Ada' })).status, 200);
    await service.send(conversation, 'And?');
    assert.deepEqual(await read(conversation), {
      city: 'Oslo',
      cart: ['boots'],
      page: '/tents',
      first_name: 'Ada',
    });
  });

  test('have the same limits as on opening, and are refused with the message', async () => {
    const { uuid } = await createAssistant(service, { variables: { city: 'Oslo' } });
    const conversation = await service.open(uuid);
    for (const [variables, error] of [
      [many(101), 'variables: at most 100 are allowed'],
      [{ a: 'x'.repeat(2001) }, 'variables: a value may have at most 2000 characters'],
      [{ a: '\0' }, 'variables must not contain null characters'],
      ['{}', 'variables must be an object'],
    ] as const) {
      const { status, json } = await send(conversation, variables);
      assert.deepEqual([status, json['error']], [422, error]);
    }
    assert.deepEqual(await service.history(conversation), []);
    assert.deepEqual(await read(conversation), { city: 'Oslo' });
  });

  test('are limited to 200 per conversation', async () => {
    const { uuid } = await createAssistant(service);
    const conversation = await service.open(uuid, { variables: many(100) });
    const more = (first: number, count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`w${first + index}`, 'x']));
    assert.equal((await send(conversation, more(0, 100))).status, 200);
    assert.equal((await send(conversation, { v1: 'known' })).status, 200);
    const { status, json } = await send(conversation, more(100, 1));
    assert.equal(status, 422);
    assert.match(json['error'] as string, /^variables: a conversation may have at most 200/);
    assert.equal((await service.history(conversation)).length, 4);
  });
});
