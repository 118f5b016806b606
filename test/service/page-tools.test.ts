import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { pino } from 'pino';
import { readConfig } from '../../src/service/config.ts';
import { serve } from '../../src/service/serve.ts';
import { many } from '../support/records/field-table.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { ServiceClient } from '../support/service/service-client.ts';
import type { StreamedEvent } from '../support/service/service-client.ts';
import { atEnd, createAssistant, startService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const service = await startService({ LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-test' });
const { uuid: assistant } = await createAssistant(service, { balance: '100' });

const showProduct = {
  name: 'show_product',
  description: 'Shows a product on the page.',
  parameters: [
    { name: 'id', type: 'number', description: 'Its number.', required: true },
    { name: 'color', type: 'string' },
    { name: 'large', type: 'bool' },
  ],
};
const withTools = { client_tools: [showProduct, { name: 'go_back', description: 'Goes back.' }] };
const call = { name: 'show_product', arguments: { id: 7 }, client: true };

const ofKind = (events: StreamedEvent[], kind: string) =>
  events.filter(({ event }) => event === kind).map(({ data }) => data);

describe('a language model and the tools of a page', () => {
  test('are offered to the model in its protocol', async () => {
    model.behave({});
    await service.send(await service.open(assistant), 'Hello', {}, withTools);
    const [first, second] = model.requests.at(-1)?.tools ?? [];
    assert.deepEqual(first, {
      type: 'function',
      function: {
        name: 'show_product',
        description: 'Shows a product on the page.',
        parameters: {
          type: 'object',
          properties: {
            id: { type: 'number', description: 'Its number.' },
            color: { type: 'string', description: '' },
            large: { type: 'boolean', description: '' },
          },
          required: ['id'],
          additionalProperties: false,
        },
      },
    });
    assert.equal(second?.function.name, 'go_back');
  });

  test('are not mentioned if there are none', async () => {
    await service.send(await service.open(assistant), 'Hello');
    assert.equal(model.requests.at(-1)?.tools, undefined);
  });

  test('are requested at once without a result, and the model continues', async () => {
    model.behave({
      before: 'One moment.',
      calls: [{ name: 'show_product', arguments: { id: 7 } }],
      chunks: ['Have a ', 'look!'],
    });
    const conversation = await service.open(assistant);
    const events = await (await service.stream(conversation, 'Show me number 7', {}, withTools)).all();
    assert.deepEqual(
      events.map(({ event }) => event),
      ['delta', 'function_call', 'delta', 'delta', 'done'],
    );
    assert.deepEqual(ofKind(events, 'function_call'), [call]);
    assert.deepEqual(ofKind(events, 'done'), [
      { status: true, message: 'One moment.\n\nHave a look!', function_calls: [call], ai_enabled: true },
    ]);
    const [callMessage, toolMessage] = model.requests.at(-1)?.messages.slice(-2) ?? [];
    assert.equal(callMessage?.content, 'One moment.');
    assert.equal(toolMessage?.role, 'tool');
    assert.match(toolMessage.content, /page was asked.*visitor's next message/s);

    const { json } = await service.get(`/api/conversations/${conversation}`);
    const answer = (json['history'] as Record<string, unknown>[]).at(-1);
    assert.deepEqual(answer?.['function_calls'], [call]);
  });

  test('can be called without any text', async () => {
    model.behave({ calls: [{ name: 'go_back', arguments: '' }], chunks: [] });
    const { status, json } = await service.send(await service.open(assistant), 'Back', {}, withTools);
    assert.equal(status, 200);
    assert.equal(json['message'], '');
    assert.deepEqual(json['function_calls'], [{ name: 'go_back', arguments: {}, client: true }]);
  });

  test('send results before their message, which stay in the history of the model', async () => {
    model.behave({});
    const conversation = await service.open(assistant);
    const tool_results = [{ name: 'show_product', arguments: { id: 7 }, result: { shown: true } }];
    await service.send(conversation, 'Did it work?', {}, { tool_results });
    const withResults = model.requests.at(-1)?.messages.slice(1) ?? [];
    assert.equal(withResults.length, 2);
    assert.match(withResults[0]?.content ?? '', /"name":"show_product".*"result":\{"shown":true\}/);
    assert.deepEqual(withResults[1], { role: 'user', content: 'Did it work?' });
    await service.send(conversation, 'Good');
    assert.deepEqual(model.requests.at(-1)?.messages.slice(1, 3), withResults);
    // Visitors see the messages, but not the results of page tools.
    assert.doesNotMatch((await service.get(`/api/conversations/${conversation}`)).text, /shown/);
  });

  test('and their results fill at most 16 KiB of a prompt, with the values of the page', async () => {
    model.behave({});
    const { uuid } = await createAssistant(service, { balance: '1', systemPrompt: 'Greet {{name}}.' });
    const conversation = await service.open(uuid, { variables: { name: 'n'.repeat(1990) } });
    const result = (name: string) => ({ name, arguments: {}, result: 'r'.repeat(3900) });
    const send = (fields: Record<string, unknown>) => service.send(conversation, 'Hi', {}, fields);
    await send({ tool_results: [result('first_1'), result('first_2')] });
    await send({ tool_results: [result('second_1'), result('second_2')], ...withTools });
    /** The names of the results in the latest prompt, in order, without omitted ones. */
    const kept = () =>
      (model.requests.at(-1)?.messages ?? [])
        .filter(({ content }) => content.startsWith('What the functions'))
        .flatMap(
          ({ content }) => JSON.parse(content.split('\n')[1] ?? '') as { name: string; result: string }[],
        )
        .flatMap(({ name, result: text }) => (text === 'left out: too long' ? [] : [name]));
    assert.deepEqual(kept(), ['first_1', 'second_1', 'second_2']);

    const client_tools = Array.from({ length: 16 }, (_, index) => ({
      ...{ name: `tool_${index}`, description: 'd'.repeat(250) },
    }));
    await send({ tool_results: ['1', '2', '3'].map((index) => result(`third_${index}`)), client_tools });
    assert.deepEqual(kept(), ['third_1', 'third_2', 'third_3']);
    const offered = model.requests.at(-1)?.tools?.length ?? 0;
    assert.ok(offered > 5 && offered < 10, String(offered));
  });

  test('are measured in bytes, and the log names omitted ones', async () => {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => {
      const { assistant, leftOut } = JSON.parse(line) as Record<string, unknown>;
      if (leftOut !== undefined) lines.push({ assistant, leftOut });
    };
    const config = readConfig({ PORT: '0', RATE_LIMIT: '0', WORKERS: 'off', LLM_BASE_URL: model.url });
    const { database } = service.running;
    const running = await serve(config, { log: pino({}, { write }), database });
    const logging = new ServiceClient(running.url);
    model.behave({});
    const systemPrompt = 'Greet {{name}}. Quote {{a}}, {{b}}, {{c}}, {{d}} and {{e}}.';
    const { uuid } = await createAssistant(service, { balance: '1', systemPrompt });
    const long = 'ж'.repeat(1990);
    const variables = { name: 'Ada', a: long, b: long, c: long, d: long, e: long };
    const conversation = await logging.open(uuid, { variables });
    const fields = {
      tool_results: [{ name: 'look_up', arguments: {}, result: long }],
      client_tools: [
        { name: 'show_map', description: 'ж'.repeat(250) },
        { name: 'go_back', description: 'Goes back.' },
      ],
    };
    const { status } = await logging.send(conversation, 'Hi', {}, fields);
    await running.close();
    assert.equal(status, 200);
    const { messages = [], tools = [] } = model.requests.at(-1) ?? {};
    assert.equal(messages[0]?.content.match(/ж{1990}/g)?.length, 4);
    assert.equal(tools.length, 1);
    assert.deepEqual(lines, [
      { assistant: uuid, leftOut: ['variable e', 'result of look_up', 'tool show_map'] },
    ]);
  });

  const invalidCalls: [
    title: string,
    name: string,
    args: Record<string, unknown> | string,
    reason: RegExp,
  ][] = [
    ['of a function that the page does not offer', 'delete_all', {}, /no such function/],
    ['with arguments that are not JSON', 'show_product', '{"id": 7', /not a JSON object/],
    ['with an array as arguments', 'show_product', '[7]', /not a JSON object/],
    ['without a required argument', 'show_product', { color: 'red' }, /"id" is missing/],
    ['with a wrong type', 'show_product', { id: '7' }, /"id" must be a number/],
    [
      'with arguments that are too long',
      'show_product',
      { id: 7, color: 'x'.repeat(2000) },
      /longer than 2000/,
    ],
  ];
  for (const [title, name, args, reason] of invalidCalls) {
    test(`are not requested for a call ${title}, and the model gets the reason`, async () => {
      model.behave({ calls: [{ name, arguments: args }], chunks: ['Sorry.'] });
      const { json } = await service.send(await service.open(assistant), 'Do it', {}, withTools);
      assert.deepEqual([json['message'], json['function_calls']], ['Sorry.', []]);
      assert.match(model.requests.at(-1)?.messages.at(-1)?.content ?? '', reason);
    });
  }

  test('get no undeclared arguments and no unstorable text', async () => {
    const args = '{"id": 7, "color": "re\\u0000d\\ud83d", "admin": true, "__proto__": {"large": true}}';
    model.behave({ calls: [{ name: 'show_product', arguments: args }], chunks: ['Here.'] });
    const { json } = await service.send(await service.open(assistant), 'Show it', {}, withTools);
    assert.deepEqual(json['function_calls'], [{ ...call, arguments: { id: 7, color: 'red\ufffd' } }]);
  });

  test('get no more calls than fit into the next message', async () => {
    const many = Array.from({ length: 20 }, (_, id) => ({ name: 'show_product', arguments: { id } }));
    model.behave({ calls: many, chunks: ['Done.'] });
    const { json } = await service.send(await service.open(assistant), 'Show all', {}, withTools);
    assert.equal((json['function_calls'] as unknown[]).length, 16);
    assert.match(model.requests.at(-1)?.messages.at(-1)?.content ?? '', /Only 16 calls/);
  });

  test('cannot be called forever: in the end, the model has to write text', async () => {
    // Requests another call after each one.
    model.behave(({ messages, tool_choice }) => {
      messages.push({ role: 'user', content: 'And again' });
      return tool_choice === 'none'
        ? { chunks: ['Enough.'] }
        : { calls: [{ name: 'go_back', arguments: {} }] };
    });
    const calls = model.requests.length;
    const { json } = await service.send(await service.open(assistant), 'Back, back, back', {}, withTools);
    assert.equal(json['message'], 'Enough.');
    assert.equal((json['function_calls'] as unknown[]).length, 4);
    assert.equal(model.requests.length, calls + 5);
  });
});

test('are refused with the message if they or their results are invalid', async () => {
  const conversation = await service.open(assistant);
  for (const [more, error] of [
    [{ client_tools: 'all' }, 'client_tools must be a list'],
    [{ client_tools: [{ ...showProduct, name: 'a b' }] }, /^client_tools: a name must be/],
    [
      { client_tools: [{ ...showProduct, parameters: many(2, { name: 'id', type: 'string' }) }] },
      'client_tools: two parameters of a tool have the same name',
    ],
    [{ tool_results: [{ name: 'go_back', arguments: {}, result: '\0' }] }, /null characters/],
    [{ tool_results: [{ name: 'go_back', arguments: {}, result: 'x'.repeat(4000) }] }, /at most 4000/],
  ] as const) {
    const { status, json } = await service.send(conversation, 'Hi', {}, more);
    assert.equal(status, 422);
    assert.match(json['error'] as string, new RegExp(error));
  }
  assert.deepEqual(await service.history(conversation), []);
});

test('do not matter for a repeated message, which gets the first answer', async () => {
  model.behave({});
  const conversation = await service.open(assistant);
  const key = { 'Idempotency-Key': 'a key of this conversation' };
  const first = await service.send(conversation, 'Hello', key, withTools);
  const second = await service.send(conversation, 'Hello', key, { variables: { page: '/new' } });
  assert.deepEqual([second.status, second.json], [200, first.json]);
});
