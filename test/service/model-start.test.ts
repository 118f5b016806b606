import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pino } from 'pino';
import { createEngine } from '../../src/service/engine/create-engine.ts';
import type { EngineRequest } from '../../src/service/engine/engine.ts';
import { freePort } from '../support/process/free-port.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd } from '../support/service/service.ts';

const server = await startModelServer();
atEnd(() => server.close());

const engineRequest: EngineRequest = {
  assistant: {
    ...{ uuid: 'the-assistant', name: 'Ada', language: 'en', secondaryLanguages: [], systemPrompt: '' },
    ...{ temperature: 1, model: null, toolModel: null },
  },
  ...{ history: [], message: 'Hello', toolResults: [], pageTools: [], tools: [] },
  ...{ includesPassages: false, findPassages: () => Promise.resolve([]) },
};

/** The engine for the models of an endpoint, with its log. */
function createTested({ url = server.url, models = [] as string[], idleTimeoutMs = 30_000 } = {}) {
  const lines: string[] = [];
  const log = pino({}, { write: (line) => void lines.push(line) });
  const endpointOf = (model: string) => ({ baseUrl: url, apiKey: undefined, model, idleTimeoutMs });
  const more = models.map(
    (code) => ({ code, name: code, type: 'llm', endpoint: endpointOf(code), realtime: undefined }) as const,
  );
  const engine = createEngine({ languageModel: endpointOf('m-1'), models: more }, log, () =>
    Promise.resolve(),
  );
  const reply = async () => {
    let text = '';
    for await (const event of engine.reply(engineRequest, new AbortController().signal))
      if (event.type === 'delta') text += event.text;
    return text;
  };
  return { engine, reply, logged: () => lines.join('') };
}

const answer = `You said: ${engineRequest.message}`;
const incompatible =
  'The endpoint of the model "m-1" is not an OpenAI-compatible endpoint. Check LLM_BASE_URL or MODELS.';

describe('the test of a model at the start', () => {
  it('succeeds once the model has sent the first chunk', async () => {
    server.behave({});
    const { engine, logged } = createTested();
    await engine.test();
    assert.match(logged(), /"the language model answers"/);
    assert.deepEqual(engine.problems(), []);
  });

  for (const [name, behavior, problem] of [
    ['a web page', { isWebPage: true }, incompatible],
    [
      'a stream that is an error',
      { errorEvent: { message: 'leaked', code: 'model_crashed' } },
      'The endpoint of the model "m-1" has responded with an error. The log has its code, if there is one. ' +
        'Check LLM_MODEL or MODELS.',
    ],
    [
      'a stream that is an error with the code of a status',
      { errorEvent: { message: 'leaked', code: 404 } },
      'The endpoint has no model "m-1" (404). Check LLM_MODEL, LLM_BASE_URL or MODELS.',
    ],
  ] as const) {
    it(`reports ${name} although the status is 200, as does a visitor's message`, async () => {
      server.behave({ startTest: behavior });
      const { engine, reply, logged } = createTested();
      await engine.test();
      assert.deepEqual(engine.problems(), [problem]);
      assert.doesNotMatch(logged(), /the language model answers|leaked/);
      assert.equal(await reply(), answer);
      assert.deepEqual(engine.problems(), []);
      server.behave(behavior);
      await assert.rejects(reply(), { name: 'EngineError' });
      assert.deepEqual(engine.problems(), [problem]);
    });
  }

  it('only logs a failure that may pass, since nothing repeats the test', async () => {
    const closed = `http://127.0.0.1:${await freePort()}/v1`;
    for (const [url, startTest] of [
      [closed, {}],
      [server.url, { hang: true }],
      [server.url, { status: 503 }],
      [server.url, { status: 429 }],
      [server.url, { errorEvent: { message: 'Loading model', code: 503 } }],
    ] as const) {
      server.behave({ startTest });
      const { engine, logged } = createTested({ url, idleTimeoutMs: 'hang' in startTest ? 300 : 30_000 });
      await engine.test();
      assert.match(
        logged(),
        /the language model does not answer: it may still be starting, or be overloaded/,
      );
      assert.deepEqual(engine.problems(), []);
    }
  });

  it('does not overwrite the outcome of a newer request of a visitor', async () => {
    const gate = Promise.withResolvers<undefined>();
    const asked = Promise.withResolvers<undefined>();
    server.behave(({ messages }) => {
      if (messages.length === 1) asked.resolve(undefined);
      return { startTest: { isWebPage: true, gate: gate.promise } };
    });
    const { engine, reply, logged } = createTested();
    const tested = engine.test();
    await asked.promise;
    assert.equal(await reply(), answer);
    gate.resolve(undefined);
    await tested;
    assert.match(logged(), /"the language model failed"/);
    assert.deepEqual(engine.problems(), []);
  });

  it('asks one model after another, so that a local server does not load all at once', async () => {
    let pending = 0;
    let most = 0;
    server.behave(() => {
      most = Math.max(most, ++pending);
      const gate = delay(50).then(() => pending--);
      return { startTest: { isWebPage: true, gate } };
    });
    const { engine } = createTested({ models: ['m-2', 'm-3'] });
    await engine.test();
    assert.equal(engine.problems().length, 3);
    assert.equal(most, 1);
  });
});
