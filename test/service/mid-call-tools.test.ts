import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MemoryVoice } from '../support/calls/memory-voice.ts';
import { offer, said } from '../support/calls/web-visitor.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import type { LoopbackHandler } from '../support/servers/loopback-server.ts';
import { reasoning, startModelServer } from '../support/servers/model-server.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { createToolAssistant } from '../support/records/tool-assistant.ts';
import { until } from '../support/until.ts';

const model = await startModelServer();
const routes: Record<string, LoopbackHandler> = {
  '/orders': () => ({ status: 'sent', note: 'caf\u00e9 \0\ud83d' }),
  '/echo': ({ headers }) => ({ seen: headers, pin: 4711, open: true }),
  '/ids': (_, response) => void response.end('{"id":1234567890123456789,"weight":0.5,"mass":1e30}'),
  '/missing': (_, response) => {
    response.statusCode = 404;
    return { reason: 'no such order, token hunter2-key' };
  },
  // The limit is within one of its emojis.
  '/emoji': () => ({ note: '😀'.repeat(2000) }),
  '/page': (_, response) => void response.end('<html>'),
  '/nothing': (_, response) => void response.writeHead(204).end(),
  '/silent': () => undefined,
  '/large': () => 'x'.repeat(70_000),
  '/deep': (_, response) => void response.end('['.repeat(100) + ']'.repeat(100)),
  '/away': (_, response) => void response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end(),
};
const shop = await startLoopbackServer((request, response) =>
  routes[request.path.split('?')[0] ?? '']?.(request, response),
);
atEnd(() => model.close());
atEnd(() => shop.close());
const allowed = { ALLOW_PRIVATE_ADDRESSES: shop.address };
const voice = new MemoryVoice();
const service = await startService(
  { LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test', ...allowed },
  { voice },
);
const offline = await startService(allowed);

const parameter = (name: string, type = 'string') => ({ name, type, description: `The ${name}.` });
const lookUp = {
  name: 'look_up_order',
  description: 'Looks up an order.',
  endpoint: `${shop.url}/orders?lang=en`,
  schema: [parameter('order', 'number'), parameter('email'), parameter('express', 'boolean')],
};
const input = { order: 7, email: 'a+b@x.example', express: true };

/** Calls a tool once; returns the calls in the answer, the reply to the model and the request to the tool. */
async function callOne(tool: Record<string, unknown>, written: Record<string, unknown> | string = {}) {
  const { uuid } = await createToolAssistant(service, [tool]);
  model.behave({ calls: [{ name: String(tool['name']), arguments: written }], chunks: ['There.'] });
  const { json } = await service.send(await service.open(uuid), 'Look it up');
  const reply = model.requests.at(-1)?.messages.at(-1);
  assert.deepEqual([reply?.role, json['message']], ['tool', 'There.']);
  const calls = json['function_calls'] as { name: string; arguments: unknown; result: unknown }[];
  return { calls, reply: reply?.content ?? '', sent: shop.requests.at(-1) };
}

test('offers the model each parameter once, also of a tool that was stored with two of the same name', async () => {
  const { uuid, owner } = await createToolAssistant(service, [lookUp]);
  await service.running.database.pool.query('UPDATE tools SET schema = schema || schema WHERE user_id = $1', [
    owner.id,
  ]);
  model.behave({});
  await service.send(await service.open(uuid), 'Hello');
  const [offered] = model.requests.at(-1)?.tools ?? [];
  const { required } = offered?.function.parameters as { required: string[] };
  assert.deepEqual(required, ['order', 'email', 'express']);
});

test("offers the model the assistant's tools, then those of the page", async () => {
  const { uuid } = await createToolAssistant(service, [lookUp]);
  model.behave({});
  const client_tools = [
    { name: 'look_up_order', description: 'Of the page.' },
    { name: 'go_back', description: 'Goes back.' },
  ];
  await service.send(await service.open(uuid), 'Hello', {}, { client_tools });
  const offered = model.requests.at(-1)?.tools?.map((tool) => tool.function) ?? [];
  assert.deepEqual(
    offered.map(({ name, description }) => [name, description]),
    [
      ['look_up_order', 'Looks up an order.'],
      ['go_back', 'Goes back.'],
    ],
  );
  assert.deepEqual(offered[0]?.parameters, {
    type: 'object',
    properties: {
      order: { type: 'number', description: 'The order.' },
      email: { type: 'string', description: 'The email.' },
      express: { type: 'boolean', description: 'The express.' },
    },
    required: ['order', 'email', 'express'],
    additionalProperties: false,
  });
});

for (const method of ['GET', 'DELETE']) {
  test(`${method} sends the arguments as query parameters`, async () => {
    const { calls, reply, sent } = await callOne({ ...lookUp, method }, input);
    assert.deepEqual([sent?.method, sent?.body], [method, '']);
    assert.equal(sent?.path, '/orders?lang=en&order=7&email=a%2Bb%40x.example&express=true');
    const result = { status: 'sent', note: 'café �' };
    assert.deepEqual(calls, [{ name: 'look_up_order', arguments: input, result }]);
    assert.deepEqual(JSON.parse(reply), result);
  });
}

for (const method of ['POST', 'PUT', 'PATCH']) {
  test(`${method} sends them as JSON, with the headers of the tool`, async () => {
    const headers = [{ name: 'X-Key', value: 'hunter2-key' }];
    const { sent } = await callOne({ ...lookUp, method, headers }, input);
    assert.equal(sent?.path, '/orders?lang=en');
    assert.deepEqual(JSON.parse(sent.body), input);
    assert.deepEqual(
      [sent.method, sent.headers['content-type'], sent.headers['x-key']],
      [method, 'application/json', 'hunter2-key'],
    );
  });
}

test('an id with more digits than a number can have keeps all of them', async () => {
  const { calls, reply } = await callOne({ ...lookUp, endpoint: `${shop.url}/ids` }, input);
  const result = { id: '1234567890123456789', weight: 0.5, mass: 1e30 };
  assert.deepEqual([calls[0]?.result, JSON.parse(reply)], [result, result]);
});

test('converts arguments to the types of the schema, and reports invalid ones to the model', async () => {
  const { calls } = await callOne(lookUp, { order: ' 7 ', email: 12, express: 'TRUE', admin: true });
  assert.deepEqual(calls[0]?.arguments, { order: 7, email: '12', express: true });
  const before = shop.requests.length;
  for (const [written, reason] of [
    [{ ...input, order: 'seven' }, /"order" must be a number/],
    [{ ...input, express: 'maybe' }, /"express" must be a boolean/],
    [{ ...input, email: { at: 'home' } }, /"email" must be a string/],
    [{ order: 7, email: 'x' }, /"express" is missing/],
    ['no JSON', /not a JSON object/],
  ] as const) {
    const refused = await callOne(lookUp, written);
    assert.deepEqual(refused.calls, []);
    assert.match(refused.reply, reason);
  }
  assert.equal(shop.requests.length, before);
});

describe('a result describes a failure', () => {
  const headers = [
    { name: 'Authorization', value: 'Bearer hunter2-key' },
    { name: 'Accept', value: 'text/plain' },
  ];
  const failures: [path: string, result: RegExp, more?: Record<string, unknown>][] = [
    [
      '/missing',
      /"The function answered with the status 404\.","status":404,"body":".*no such order, token \[hidden\]/,
    ],
    ['/page', /"The function did not answer with JSON\."/],
    ['/silent', /could not be called: the server did not answer in time/, { timeout: 1 }],
    ['/large', /could not be called: the answer is longer than 65536 bytes/],
    ['/deep', /nested too deep/],
    ['/away', /could not be called: the address belongs to a private network/],
  ];
  for (const [path, result, more] of failures) {
    test(`of ${path}`, async () => {
      const { calls, reply } = await callOne({ name: 'try_it', endpoint: shop.url + path, headers, ...more });
      assert.match(JSON.stringify(calls[0]?.result), result);
      assert.deepEqual(JSON.parse(reply), calls[0]?.result);
      assert.doesNotMatch(reply, /hunter2|127\.0/);
    });
  }

  test('a response without content is not a failure', async () => {
    const { calls } = await callOne({ name: 'try_it', endpoint: `${shop.url}/nothing`, method: 'DELETE' });
    assert.deepEqual(calls[0]?.result, { status: 204 });
  });

  test('redacts secrets that the server sends back', async () => {
    const more = [
      { name: 'X-Pin', value: '4711' },
      { name: 'X-Flag', value: 'true' },
    ];
    const endpoint = `${shop.url}/echo`;
    const { calls } = await callOne({ name: 'try_it', endpoint, headers: [...headers, ...more] });
    const { seen, ...rest } = calls[0]?.result as { seen: Record<string, string> };
    assert.deepEqual([seen['authorization'], seen['accept']], ['[hidden]', 'text/plain']);
    assert.deepEqual(rest, { pin: '[hidden]', open: true });
  });

  test('keeps the words of a header with several', async () => {
    const endpoint = `${shop.url}/echo`;
    const client = { name: 'X-Client', value: 'Nordkamm Online 4711' };
    const { calls } = await callOne({ name: 'try_it', endpoint, headers: [...headers, client] });
    const { pin } = calls[0]?.result as { pin: unknown };
    assert.equal(pin, 4711);
  });

  test('sends a user name and password in its address as a header, and redacts them', async () => {
    const endpoint = `${shop.url.replace('://', '://anna:p%40ss%3A@')}/echo`;
    const { calls } = await callOne({ name: 'try_it', endpoint, headers: [] });
    const { seen } = calls[0]?.result as { seen: Record<string, string> };
    assert.equal(seen['authorization'], '[hidden]');
    const credentials = Buffer.from('anna:p@ss:').toString('base64');
    assert.equal(shop.requests.at(-1)?.headers['authorization'], `Basic ${credentials}`);
  });
});

test('runs the calls of one round concurrently and sends their events in order', async () => {
  const [first, second] = [Promise.withResolvers<object>(), Promise.withResolvers<object>()];
  routes['/first'] = () => first.promise;
  routes['/second'] = () => second.promise;
  const { uuid } = await createToolAssistant(service, [
    { name: 'first', endpoint: `${shop.url}/first` },
    { name: 'second', endpoint: `${shop.url}/second` },
  ]);
  const calls = ['first', 'second'].map((name) => ({ name, arguments: {} }));
  model.behave({ before: 'A moment.', calls, chunks: ['Done.'] });
  const before = shop.requests.length;
  const conversation = await service.open(uuid);
  const stream = await service.stream(conversation, 'Both');
  await until(() => shop.requests.length === before + 2);
  first.resolve({ place: 1 });
  const early = await stream.until((events) => events.some(({ event }) => event === 'function_call'));
  assert.deepEqual(early.at(-1)?.data, { name: 'first', arguments: {}, result: { place: 1 } });
  second.resolve({ place: 2 });
  const events = await stream.all();
  assert.deepEqual(
    events.map(({ event }) => event),
    ['delta', 'function_call', 'function_call', 'delta', 'done'],
  );
  const shown = [
    { name: 'first', arguments: {}, result: { place: 1 } },
    { name: 'second', arguments: {}, result: { place: 2 } },
  ];
  assert.deepEqual(events.at(-1)?.data['function_calls'], shown);
  const { json } = await service.get(`/api/conversations/${conversation}`);
  assert.deepEqual((json['history'] as Record<string, unknown>[]).at(-1)?.['function_calls'], shown);
  model.behave({});
  await service.send(conversation, 'Thanks');
  assert.deepEqual(
    model.requests.at(-1)?.messages.map(({ role }) => role),
    ['system', 'assistant', 'user', 'assistant', 'tool', 'tool', 'assistant', 'user'],
  );
});

for (const [title, behavior] of [
  ['gives each of them the same index', { sharesIndex: true }],
  ['sends each of them whole, with the same index and without an id', { sendsWhole: true }],
] as const) {
  test(`runs all calls of a server that ${title}`, async () => {
    const { uuid } = await createToolAssistant(service, [{ ...lookUp, endpoint: `${shop.url}/orders` }]);
    const inputs = [7, 8].map((order) => ({ ...input, order }));
    const calls = inputs.map((given) => ({ name: lookUp.name, arguments: given }));
    model.behave({ calls, ...behavior, chunks: ['There.'] });
    const { json } = await service.send(await service.open(uuid), 'Look them up');
    assert.equal(json['message'], 'There.');
    assert.deepEqual(
      (json['function_calls'] as { arguments: unknown }[]).map((call) => call.arguments),
      inputs,
    );
  });
}

for (const name of ['multi_tool_use.parallel', '', 'long'.repeat(30)]) {
  test(`reports to the model that there is no function "${name}", under a name that providers accept`, async () => {
    const { uuid } = await createToolAssistant(service, [lookUp]);
    model.behave({ calls: [{ name, arguments: {} }], chunks: ['Sorry.'] });
    const { json } = await service.send(await service.open(uuid), 'Look it up');
    assert.deepEqual([json['message'], json['function_calls']], ['Sorry.', []]);
    assert.match(model.requests.at(-1)?.messages.at(-1)?.content ?? '', /There is no such function/);
  });
}

describe('sends back what a model requires with its earlier calls', () => {
  test('the signature of Gemini 3', async () => {
    const { uuid } = await createToolAssistant(service, [lookUp]);
    const calls = [7, 8].map((order) => ({ name: lookUp.name, arguments: { ...input, order } }));
    model.behave({ requires: 'signature', calls, chunks: ['There.'] });
    const conversation = await service.open(uuid);
    for (const text of ['Look them up', 'And again'])
      assert.equal((await service.send(conversation, text)).json['message'], 'There.');
  });

  test('the reasoning of DeepSeek, which is empty for a call of an earlier process', async () => {
    const { uuid } = await createToolAssistant(service, [lookUp]);
    model.behave({ calls: [{ name: lookUp.name, arguments: input }], chunks: ['There.'] });
    const conversation = await service.open(uuid);
    await service.send(conversation, 'Look it up');
    const restarted = await startService({ LLM_BASE_URL: model.url, ...allowed });
    model.behave({
      requires: 'reasoning',
      calls: [{ name: lookUp.name, arguments: input }],
      chunks: ['There.'],
    });
    for (const text of ['Look it up', 'And again'])
      assert.equal((await restarted.send(conversation, text)).json['message'], 'There.');
    assert.deepEqual(
      model.requests.at(-1)?.messages.flatMap(({ reasoning_content: text }) => text ?? []),
      ['', '', '', '', '', reasoning.join('')],
    );
  });

  test('nothing to a model that requires nothing', async () => {
    const { uuid } = await createToolAssistant(service, [lookUp]);
    model.behave({ reasons: true, calls: [{ name: lookUp.name, arguments: input }], chunks: ['There.'] });
    await service.send(await service.open(uuid), 'Look it up');
    const request = JSON.stringify(model.requests.at(-1));
    assert.match(request, /"role":"tool"/);
    assert.doesNotMatch(request, /reasoning_content|extra_content/);
  });
});

test('a long earlier result is not cut within a character, which providers refuse', async () => {
  const emoji = { ...lookUp, endpoint: `${shop.url}/emoji`, schema: [] };
  const { uuid } = await createToolAssistant(service, [emoji]);
  const conversation = await service.open(uuid);
  model.behave({ calls: [{ name: emoji.name, arguments: {} }], chunks: ['There.'] });
  await service.send(conversation, 'Look it up');
  model.behave({});
  await service.send(conversation, 'And now?');
  const result = model.requests.at(-1)?.messages.find(({ role }) => role === 'tool')?.content ?? '';
  assert.ok(result.length > 1990 && result.isWellFormed(), result.slice(-10));
});

test('allows four rounds of tool calls, then requires text', async () => {
  const { uuid } = await createToolAssistant(service, [{ name: 'again', endpoint: `${shop.url}/orders` }]);
  model.behave(({ messages, tool_choice }) => {
    messages.push({ role: 'user', content: 'And again' });
    return tool_choice === 'none' ? { chunks: ['Enough.'] } : { calls: [{ name: 'again', arguments: {} }] };
  });
  const { json } = await service.send(await service.open(uuid), 'Again and again');
  assert.deepEqual([json['message'], (json['function_calls'] as unknown[]).length], ['Enough.', 4]);
});

test('stops waiting for a tool when the reply is stopped', async () => {
  const gone = Promise.withResolvers<undefined>();
  routes['/stopped'] = (_, response) =>
    void response.on('close', () => {
      gone.resolve(undefined);
    });
  const { uuid } = await createToolAssistant(service, [{ name: 'wait', endpoint: `${shop.url}/stopped` }]);
  model.behave({ before: 'A moment.', calls: [{ name: 'wait', arguments: {} }], chunks: ['Never.'] });
  const before = shop.requests.length;
  const conversation = await service.open(uuid);
  const stream = await service.stream(conversation, 'Wait');
  await until(() => shop.requests.length === before + 1);
  await service.post(`/api/conversations/${conversation}/stop`, undefined);
  assert.equal((await stream.all()).at(-1)?.data['message'], 'A moment.');
  await gone.promise;
});

test('records a tool that has run beside one that was running when the reply was stopped, but asks the page for nothing', async () => {
  routes['/running'] = () => undefined;
  const transfer = { type: 'call_transfer', description: 'When the visitor asks.', phone_number: '+4930123' };
  const wait = { name: 'wait', endpoint: `${shop.url}/running` };
  const { uuid } = await createToolAssistant(service, [wait], { tools: [transfer] });
  const page = { name: 'show', description: 'Shows it.', parameters: [] };
  const calls = ['wait', 'show', 'call_transfer'].map((name) => ({ name, arguments: {} }));
  model.behave({ before: 'A moment.', calls, chunks: ['Never.'] });
  const before = shop.requests.length;
  const conversation = await service.open(uuid);
  const body = { message: 'A person, please', client_tools: [page] };
  const answer = service.post(`/api/conversations/${conversation}/messages`, body);
  await until(() => shop.requests.length === before + 1);
  await service.post(`/api/conversations/${conversation}/stop`, undefined);
  const { json } = await answer;
  assert.equal(json['message'], 'A moment.');
  assert.deepEqual(
    (json['function_calls'] as { name: string }[]).map(({ name }) => name),
    ['call_transfer'],
  );
});

test('calls the tool that a message names, without a language model', async () => {
  const { uuid } = await createToolAssistant(offline, [lookUp]);
  const ask = async (message: string) => (await offline.send(await offline.open(uuid), message)).json;
  const answer = await ask('Look up order 7 "a@x.example" yes');
  assert.match(String(answer['message']), /^I have called “Look up order”\. It returned: Status: sent/);
  assert.deepEqual(answer['function_calls'], [
    {
      name: 'look_up_order',
      arguments: { order: 7, email: 'a@x.example', express: true },
      result: { status: 'sent', note: 'café �' },
    },
  ]);
  const incomplete = await ask('look_up_order 7');
  assert.match(String(incomplete['message']), /^To call “Look up order” I need: email, express\./);
  assert.deepEqual(incomplete['function_calls'], []);
});

describe('a private tool', () => {
  const note = 'caf\u00e9';
  const privateTool = { ...lookUp, is_private: true };

  test('shows visitors only its name, in the answer, the stream and the history; the model gets everything', async () => {
    const { uuid } = await createToolAssistant(service, [privateTool]);
    model.behave({ calls: [{ name: 'look_up_order', arguments: input }], chunks: ['There.'] });
    const conversation = await service.open(uuid);
    const visible = [{ name: 'look_up_order', arguments: {} }];
    const { json } = await service.send(conversation, 'Look it up');
    assert.deepEqual(json['function_calls'], visible);
    assert.match(model.requests.at(-1)?.messages.at(-1)?.content ?? '', new RegExp(note));
    const events = await (await service.stream(conversation, 'Once more')).all();
    const [streamed, done] = ['function_call', 'done'].map(
      (kind) => events.find(({ event }) => event === kind)?.data,
    );
    assert.deepEqual(streamed, visible[0]);
    assert.deepEqual(done?.['function_calls'], visible);
    const history = await service.get(`/api/conversations/${conversation}`);
    assert.doesNotMatch(history.text, /caf|a\+b@x|private/);
    assert.match(history.text, /look_up_order/);
    // The earlier call is in the model's history whole.
    assert.match(JSON.stringify(model.requests.at(-1)?.messages), new RegExp(`${note}[^]*${note}`));
    model.behave({});
  });

  test('shows visitors only its name after a web call', async () => {
    const { uuid } = await createToolAssistant(service, [privateTool], { web_calls: true });
    model.behave({ calls: [{ name: 'look_up_order', arguments: input }], chunks: ['There.'] });
    const path = `/api/conversations/${await service.open(uuid)}`;
    assert.equal((await service.post(`${path}/voice`, { sdp: offer })).status, 201);
    const { browser } = voice;
    await said(browser, 1);
    browser.say('Look it up');
    await said(browser, 2);
    // The answer is stored when the call has ended.
    assert.equal((await service.request('DELETE', `${path}/voice`)).status, 200);
    const { json } = await service.get(path);
    const entries = json['history'] as { role: string; function_calls?: unknown }[];
    const answer = entries.findLast(({ role }) => role === 'assistant');
    assert.deepEqual(answer?.function_calls, [{ name: 'look_up_order', arguments: {} }]);
    model.behave({});
  });

  test('is not quoted by the offline engine', async () => {
    const tool = { ...privateTool, schema: [] };
    const { uuid } = await createToolAssistant(offline, [tool]);
    const { json, text } = await offline.send(await offline.open(uuid), 'look up order');
    assert.deepEqual(json['function_calls'], [{ name: 'look_up_order', arguments: {} }]);
    assert.doesNotMatch(text, /caf|sent/);
  });
});
