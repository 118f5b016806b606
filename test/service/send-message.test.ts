import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { startModelServer } from '../support/servers/model-server.ts';
import { linesOf, wireTimestamp } from '../support/service/service-client.ts';
import type { ServiceAnswer } from '../support/service/service-client.ts';
import { atEnd, createAssistant, startService } from '../support/service/service.ts';
import { until } from '../support/until.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({
  LLM_BASE_URL: model.url,
  LLM_API_KEY: 'sk-test',
  KEEP_ALIVE_SECONDS: '0.05',
  // The model waits until many messages are stored, which takes a busy machine more than the default.
  LLM_IDLE_TIMEOUT_SECONDS: '600',
});
const { uuid: assistant } = await createAssistant(service, { balance: '1000', initialMessage: 'Welcome!' });

test('answers a message with JSON and stores both in the history', async () => {
  const conversation = await service.open(assistant);
  const { status, json, headers } = await service.send(conversation, 'Hello?');
  assert.equal(status, 200);
  assert.deepEqual(json, {
    status: true,
    message: 'You said: Hello?',
    function_calls: [],
    ai_enabled: true,
  });
  assert.equal(headers.get('Cache-Control'), 'no-store');
  const {
    status: readStatus,
    json: read,
    headers: readHeaders,
  } = await service.get(`/api/conversations/${conversation}`);
  assert.equal(readStatus, 200);
  const history = read['history'] as { role: string; content: string; created_at: string }[];
  assert.deepEqual(
    { ...read, history: linesOf(history), events_cursor: typeof read['events_cursor'] },
    {
      status: true,
      history: ['assistant: Welcome!', 'user: Hello?', 'assistant: You said: Hello?'],
      variables: null,
      ai_enabled: true,
      ended: false,
      events_cursor: 'string',
    },
  );
  const timestamps = history.map((line) => line.created_at);
  for (const timestamp of timestamps) assert.match(timestamp, wireTimestamp);
  assert.deepEqual(timestamps, timestamps.toSorted());
  assert.equal(readHeaders.get('Cache-Control'), 'no-store');
});

test('answers with an event stream if the client accepts one', async () => {
  model.behave({ chunks: ['One ', 'two ', 'three\n"✓"'] });
  const stream = await service.stream(await service.open(assistant), 'Count.');
  assert.equal(stream.response.status, 200);
  assert.match(stream.response.headers.get('Content-Type') ?? '', /^text\/event-stream/);
  assert.equal(stream.response.headers.get('Cache-Control'), 'no-store');
  assert.equal(stream.response.headers.get('X-Accel-Buffering'), 'no');
  assert.equal(stream.response.headers.get('Content-Encoding'), null);
  assert.deepEqual(await stream.all(), [
    { event: 'delta', data: { text: 'One ' } },
    { event: 'delta', data: { text: 'two ' } },
    { event: 'delta', data: { text: 'three\n"✓"' } },
    {
      event: 'done',
      data: { status: true, message: 'One two three\n"✓"', function_calls: [], ai_enabled: true },
    },
  ]);
  model.behave({});
});

test('sends deltas while the model responds, and comments while it is silent', async () => {
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise });
  const stream = await service.stream(await service.open(assistant), 'Wait.');
  await stream.until((events, comments) => {
    assert.deepEqual(events, []);
    return comments.length >= 2;
  });
  gate.resolve(undefined);
  assert.deepEqual(
    (await stream.all()).map(({ event }) => event),
    ['delta', 'done'],
  );
  model.behave({});
});

test('chooses JSON or events by the Accept header', async () => {
  const conversation = await service.open(assistant);
  const type = async (accept: string) =>
    (await service.send(conversation, 'Hi', { Accept: accept })).headers.get('Content-Type')?.split(';')[0];
  assert.equal(await type('*/*'), 'application/json');
  assert.equal(await type('application/json'), 'application/json');
  assert.equal(await type('text/html'), 'application/json');
  assert.equal(await type('application/json, text/event-stream'), 'application/json');
  assert.equal(await type('text/event-stream, application/json'), 'text/event-stream');
  assert.equal(await type('text/event-stream, application/json;q=0.9'), 'text/event-stream');
});

test('accepts the UUID of a conversation in any letter case', async () => {
  const conversation = (await service.open(assistant)).toUpperCase();
  assert.equal((await service.get(`/api/conversations/${conversation}`)).status, 200);
  assert.equal((await service.send(conversation, 'Hi')).status, 200);
});

test('returns 404 for an unknown conversation or an invalid UUID', async () => {
  for (const conversation of [
    randomUUID(),
    'abc',
    '1',
    "a'b",
    '%00',
    `{${randomUUID()}}`,
    'x'.repeat(5000),
  ]) {
    const path = `/api/conversations/${conversation}`;
    for (const answer of [
      await service.get(path),
      await service.post(`${path}/messages`, { message: 'Hi' }),
      await service.post(`${path}/messages`, { message: 'Hi' }, { Accept: 'text/event-stream' }),
    ]) {
      assert.equal(answer.status, 404, conversation);
      assert.deepEqual(answer.json, { status: false, error: 'Conversation not found' });
    }
  }
});

const edges: [title: string, body: unknown, error?: string][] = [
  ['one character', { message: 'x' }],
  ['2,000 characters', { message: 'x'.repeat(2000) }],
  ['2,000 emoji', { message: '😀'.repeat(2000) }],
  ['2,001 characters', { message: 'x'.repeat(2001) }, 'message may have at most 2000 characters'],
  ['nothing', {}, 'message is required'],
  ['an empty body', '', 'message is required'],
  ['null', { message: null }, 'message is required'],
  ['an empty message', { message: '' }, 'message is required'],
  ['only white space', { message: ' \n\t' }, 'message is required'],
  ['a number', { message: 5 }, 'message must be a string'],
  ['a list', { message: ['Hi'] }, 'message must be a string'],
  ['a null character', { message: 'a\0b' }, 'message must not contain null characters'],
  ['broken JSON', '{"message": "Hi', 'the body must be valid JSON'],
  ['a body that is not an object', '5', 'the body must be a JSON object'],
];
for (const [title, body, error] of edges) {
  test(`a message of ${title} is ${error === undefined ? 'answered' : `refused: ${error}`}`, async () => {
    const conversation = await service.open(assistant);
    for (const Accept of ['application/json', 'text/event-stream']) {
      const { status, json, headers } = await service.post(
        `/api/conversations/${conversation}/messages`,
        body,
        { Accept },
      );
      assert.equal(status, error === undefined ? 200 : 422);
      if (error === undefined) continue;
      assert.deepEqual(json, { status: false, error });
      assert.match(headers.get('Content-Type') ?? '', /^application\/json/);
    }
    if (error !== undefined) assert.deepEqual(await service.history(conversation), ['assistant: Welcome!']);
  });
}

test('stores a message exactly as it was written', async () => {
  const conversation = await service.open(assistant);
  const message = '  <b>"quoted" \\ {{name}} \u2028 👩‍👩‍👧 مرحبا\r\nnext\t ';
  await service.send(conversation, message);
  assert.equal((await service.history(conversation))[1], `user: ${message}`);
});

test('replaces a lone surrogate in a message by U+FFFD', async () => {
  const conversation = await service.open(assistant);
  assert.equal((await service.send(conversation, 'a\ud83d')).status, 200);
  assert.equal((await service.history(conversation))[1], 'user: a\ufffd');
});

test('finishes and stores a reply after the client disconnects', async () => {
  const gate = Promise.withResolvers<undefined>();
  for (const [index, firstChunks] of [['Half'], []].entries()) {
    const calls = model.requests.length;
    model.behave({ gate: gate.promise, chunks: [...firstChunks, ' and half'] });
    const conversation = await service.open(assistant);
    const stream = await service.stream(conversation, `Go on ${index}.`);
    await model.received(calls + 1);
    stream.disconnect();
    gate.resolve(undefined);
    let history = await service.history(conversation);
    while (history.length < 3) history = await service.history(conversation);
    assert.deepEqual(history.slice(1), [
      `user: Go on ${index}.`,
      `assistant: ${firstChunks.join('')} and half`,
    ]);
  }
  model.behave({});
});

test('answers concurrent messages of a conversation one after the other, in the order of the history', async () => {
  const conversation = await service.open(assistant);
  const texts = Array.from({ length: 8 }, (_, index) => `Message ${index}`);
  const calls = model.requests.length;
  const answers = await Promise.all(texts.map((text) => service.send(conversation, text)));
  assert.deepEqual(
    answers.map(({ json }) => json['message']),
    texts.map((text) => `You said: ${text}`),
  );
  const history = (await service.history(conversation)).slice(1);
  assert.equal(history.length, 16);
  for (let line = 0; line < history.length; line += 2) {
    const asked = history[line]?.replace('user: ', '') ?? '';
    assert.equal(history[line + 1], `assistant: You said: ${asked}`);
  }
  // Each request had the whole history, so no message was handled before the previous reply was complete.
  assert.deepEqual(
    model.requests.slice(calls).map(({ messages }) => messages.length),
    [3, 5, 7, 9, 11, 13, 15, 17],
  );
});

test('shows a message in the history while its reply is pending', async () => {
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise });
  const conversation = await service.open(assistant);
  const calls = model.requests.length;
  const answer = service.send(conversation, 'Thinking?');
  await model.received(calls + 1);
  assert.deepEqual(await service.history(conversation), ['assistant: Welcome!', 'user: Thinking?']);
  gate.resolve(undefined);
  await answer;
  model.behave({});
});

test('returns the latest thousand messages of a long conversation', async () => {
  const conversation = await service.open(assistant);
  await service.running.database.pool.query(
    `INSERT INTO messages (conversation_id, turn, role, content)
     SELECT id, n, 'system', 'Line ' || n FROM conversations, generate_series(1, 1200) AS n WHERE uuid = $1`,
    [conversation],
  );
  const history = await service.history(conversation);
  assert.equal(history.length, 1000);
  assert.equal(history[0], 'system: Line 201');
  assert.equal(history.at(-1), 'system: Line 1200');
});

test('returns 404 as JSON for unknown paths and methods', async () => {
  for (const [method, path] of [
    ['GET', '/api/nothing'],
    ['GET', '/api/conversations'],
    ['PUT', `/api/conversations/${randomUUID()}`],
  ] as const) {
    const { status, json } = await service.request(method, path);
    assert.equal(status, 404);
    assert.equal(typeof json['message'], 'string');
  }
});

test('lets at most 50 messages of a conversation wait for replies, and neither stores nor bills more', async () => {
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise });
  const { uuid, id } = await createAssistant(service, { balance: '10' });
  const [conversation, other] = [await service.open(uuid), await service.open(uuid)];
  const responses: ServiceAnswer[] = [];
  const sent = Array.from({ length: 60 }, async (_, index) => {
    responses.push(await service.send(conversation, `Message ${index}`));
  });
  await until(() => responses.length === 10);
  for (const { status, json, headers } of responses) {
    assert.equal(status, 429);
    assert.match(String(json['message']), /^Too many messages of this conversation are waiting/);
    assert.equal(headers.get('Retry-After'), String(json['retry_after']));
  }
  const otherSent = service.send(other, 'Hello');
  gate.resolve(undefined);
  assert.equal((await otherSent).status, 200);
  await Promise.all(sent);
  assert.deepEqual(
    responses.slice(10).map(({ status }) => status),
    Array<number>(50).fill(200),
  );
  assert.equal((await service.history(conversation)).filter((line) => line.startsWith('user')).length, 50);
  const { rows } = await service.running.database.pool.query(
    `SELECT sum(cost)::float AS cost FROM messages JOIN conversations ON conversations.id = conversation_id
     WHERE assistant_id = $1`,
    [id],
  );
  assert.deepEqual(rows, [{ cost: 51 * 0.01 }]);
  assert.equal((await service.send(conversation, 'And now?')).status, 200);
  model.behave({});
});
