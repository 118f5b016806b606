import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { pino } from 'pino';
import type { EngineError, EngineRequest, ReplyEvent } from '../../src/service/engine/engine.ts';
import { OpenAiEngine } from '../../src/service/engine/openai/openai-engine.ts';
import { startModelServer } from '../support/servers/model-server.ts';

const model = await startModelServer();
after(() => model.close());

const engineRequest: EngineRequest = {
  assistant: {
    ...{ uuid: 'the-assistant', name: 'A', language: 'en', secondaryLanguages: [] },
    ...{ systemPrompt: 'Be kind.', temperature: 0, model: null, toolModel: null },
  },
  ...{ history: [], message: 'Hello', toolResults: [], pageTools: [], includesPassages: false },
  tools: [
    { name: 'ping', description: 'Pings.', parameters: [], run: () => Promise.resolve({ result: 'pong' }) },
  ],
  findPassages: () => Promise.resolve([]),
};

describe('a model that refuses a request with tools', () => {
  const config = { baseUrl: model.url, apiKey: undefined, model: 'm-1', idleTimeoutMs: 5000 };
  const startEngine = () => new OpenAiEngine(config, [], pino({ level: 'silent' }), () => Promise.resolve());
  const noTools = 'm-1 does not support tools';

  /** Lets the engine answer once. Returns the events, the error, and for each request whether it offered tools. */
  async function ask(engine: OpenAiEngine, behavior: Parameters<typeof model.behave>[0]) {
    const before = model.requests.length;
    const events: ReplyEvent[] = [];
    let error: EngineError | undefined;
    model.behave(behavior);
    try {
      for await (const event of engine.reply(engineRequest, new AbortController().signal)) events.push(event);
    } catch (thrown) {
      error = thrown as EngineError;
    }
    model.behave({});
    const offers = model.requests.slice(before).map(({ tools }) => tools !== undefined);
    return { events, error, offers };
  }

  const refusals: [server: string, status: number, message: string][] = [
    ['OpenRouter', 404, 'No endpoints found that support tool use. Try disabling "ping".'],
    ['llama.cpp', 500, 'tools param requires --jinja flag'],
    ['Mistral', 400, 'Function calling is not enabled for this model'],
    ['Gemini', 400, 'Tool use with function calling is unsupported by the model.'],
    ['OpenAI', 400, "Unsupported parameter: 'tools' is not supported with this model."],
    ['Azure', 400, 'Unrecognized request argument supplied: tools'],
    ['a gateway', 422, 'The model m-1 does not support tools.'],
  ];
  for (const [server, status, message] of refusals) {
    test(`answers without them if it has no function calling, as with ${server}`, async () => {
      const engine = startEngine();
      const { events } = await ask(engine, ({ tools }) =>
        tools ? { status, message } : { chunks: ['Fine.'] },
      );
      assert.deepEqual(events, [{ type: 'delta', text: 'Fine.' }]);
      assert.equal(engine.warnings.length, 1);
    });
  }

  const others: [status: number, message: string][] = [
    [400, 'Parallel tool calls are not supported'],
    [400, 'Streaming is not supported with tools'],
    [400, "'tool' role is not supported"],
    [400, "Invalid schema for function 'ping': In context=('properties', 'tool'), 'format' is not supported"],
    [422, "[{'loc': ('body', 'tools', 0, 'function'), 'input': {'description': 'Ask the support team'}}]"],
    [422, "[{'loc': ('body', 'tools', 0, 'function'), 'input': {'description': 'We do not support tools'}}]"],
    [429, 'Too many tool calls. To raise the limit, contact support.'],
    [429, 'The free plan does not support tools'],
  ];
  for (const [status, message] of others) {
    test(`is still offered them after an error of another kind: ${status} ${message}`, async () => {
      const engine = startEngine();
      const { error, offers } = await ask(engine, ({ tools }) => (tools ? { status, message } : {}));
      assert.ok(error);
      assert.ok(offers.every(Boolean));
      assert.deepEqual((await ask(engine, {})).offers, [true]);
    });
  }

  test('is sent no temperature if it takes none with tools', async () => {
    const message = '`temperature` is not supported when tools are used';
    const { events, offers } = await ask(startEngine(), ({ temperature, tools }) =>
      tools && temperature !== undefined ? { status: 400, message } : { chunks: ['Fine.'] },
    );
    assert.deepEqual(events, [{ type: 'delta', text: 'Fine.' }]);
    assert.deepEqual(offers, [true, true]);
  });

  test('is not asked for a second answer once it has begun one', async () => {
    const engine = startEngine();
    const { events, error } = await ask(engine, ({ messages, tools }) => {
      if (messages.at(-1)?.role === 'tool') return { status: 400, message: noTools };
      return tools
        ? { before: 'One moment.', calls: [{ name: 'ping', arguments: {} }] }
        : { chunks: ['Again.'] };
    });
    assert.deepEqual(
      events.map((event) => (event.type === 'delta' ? event.text : event.name)),
      ['One moment.', 'ping'],
    );
    assert.equal(error?.ownerReason, 'the model refuses the request (400)');
    assert.deepEqual((await ask(engine, {})).offers, [true]);
  });

  test('is offered them again if it refuses the request without them, too', async () => {
    const engine = startEngine();
    const { error, offers } = await ask(engine, { status: 400, message: noTools });
    assert.equal(error?.ownerReason, 'the model refuses the request (400)');
    assert.deepEqual(offers, [true, false]);
    assert.deepEqual((await ask(engine, {})).offers, [true]);
  });

  test('is offered them again after 15 minutes', async (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: Date.now() });
    const engine = startEngine();
    const refuse = ({ tools }: { tools?: unknown }) => (tools ? { status: 400, message: noTools } : {});
    assert.deepEqual((await ask(engine, refuse)).offers, [true, false]);
    context.mock.timers.tick(14 * 60_000);
    assert.deepEqual((await ask(engine, refuse)).offers, [false]);
    assert.equal(engine.warnings.length, 1);
    context.mock.timers.tick(2 * 60_000);
    assert.deepEqual(engine.warnings, []);
    assert.deepEqual((await ask(engine, {})).offers, [true]);
  });

  test('answers without them if its error has no `error` around its fields, as with older versions of vLLM', async () => {
    const message = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set';
    const { events } = await ask(startEngine(), ({ tools }) =>
      tools ? { status: 400, message, isBare: true } : { chunks: ['Fine.'] },
    );
    assert.deepEqual(events, [{ type: 'delta', text: 'Fine.' }]);
  });
});
