import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import { importDocument } from '../../src/service/knowledge/import-document.ts';
import { freePort } from '../support/process/free-port.ts';
import { pino } from 'pino';
import type { EngineError, EngineRequest } from '../../src/service/engine/engine.ts';
import { OpenAiEngine } from '../../src/service/engine/openai/openai-engine.ts';
import type { LanguageModelConfig } from '../../src/service/engine/read-models.ts';
import { eventually } from '../support/eventually.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import type { Behavior } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, newDatabase, readMoney, startService } from '../support/service/service.ts';
import type { TestService } from '../support/service/service.ts';

const model = await startModelServer();
atEnd(() => model.close());
const settings = { LLM_BASE_URL: model.url, LLM_API_KEY: 'sk-secret-key', LLM_MODEL: 'test-model' };
const service = await startService(settings);

/** Gives an assistant a knowledge base, by default with the prices of parking. */
async function addFacts(
  { running }: TestService,
  { id, userId }: { id: number; userId: number },
  mode: 'prompt' | 'function_call',
  markdown = '# Facts\n\n## Parking\n\nParking costs two euros.\n\n## Cats\n\nCats sleep.',
): Promise<void> {
  const { db, pool } = running.database;
  const { rows } = await pool.query<{ id: number }>(
    "INSERT INTO knowledgebases (user_id, name, text_search_config) VALUES ($1, 'Facts', 'english') RETURNING id",
    [userId],
  );
  const knowledgebase = rows[0]?.id ?? 0;
  await importDocument(db, knowledgebase, { name: 'Facts', markdown });
  await pool.query('UPDATE assistants SET knowledgebase_id = $1, knowledgebase_mode = $2 WHERE id = $3', [
    knowledgebase,
    mode,
    id,
  ]);
}

test('sends the model name, key, temperature, filled prompt and conversation', async () => {
  const { uuid } = await createAssistant(service, {
    systemPrompt: 'You help {{name}}.',
    initialMessage: 'Hello {{name}}!',
    temperature: '0.70',
  });
  const conversation = await service.open(uuid, { variables: { name: 'Ada {{secret}}' } });
  await service.send(conversation, 'First {{name}}');
  await service.send(conversation, 'Second');
  const request = model.requests.at(-1);
  assert.equal(request?.model, 'test-model');
  assert.equal(request.authorization, 'Bearer sk-secret-key');
  assert.equal(request.temperature, 0.7);
  assert.equal(request.stream, true);
  const [system, ...rest] = request.messages;
  assert.equal(system?.role, 'system');
  assert.match(system.content, /^You help <data>"Ada \{\{secret\}\}"<\/data>\./);
  assert.deepEqual(rest, [
    { role: 'assistant', content: 'Hello Ada {{secret}}!' },
    { role: 'user', content: 'First {{name}}' },
    { role: 'assistant', content: 'You said: First {{name}}' },
    { role: 'user', content: 'Second' },
  ]);
});

test('sends no temperature to a model that has refused one, as reasoning models do', async () => {
  const reasoning = await startModelServer();
  atEnd(() => reasoning.close());
  reasoning.behave({ refusesTemperature: true, chunks: ['Fine.'] });
  const other = await startService({ ...settings, LLM_BASE_URL: reasoning.url });
  const { uuid } = await createAssistant(other, { temperature: '0.70' });
  const conversation = await other.open(uuid);
  for (const text of ['First', 'Second'])
    assert.equal((await other.send(conversation, text)).json['message'], 'Fine.');
  assert.deepEqual(
    reasoning.requests.map(({ temperature }) => temperature),
    [0.7, undefined, undefined],
  );
});

const alternationRefusals: Record<string, Behavior> = {
  vLLM: {
    ...{ status: 400, isBare: true },
    message: 'Conversation roles must alternate user/assistant/user/assistant/...',
  },
  'llama.cpp': {
    status: 500,
    message:
      'After the optional system message, conversation roles must alternate user/assistant/user/assistant/... at row 11',
  },
};
for (const [server, refusal] of Object.entries(alternationRefusals)) {
  test(`alternates the roles for a model that has required it, as with ${server}`, async () => {
    const strict = await startModelServer();
    atEnd(() => strict.close());
    const areAlternating = (roles: string[]) =>
      roles.every(
        (role, index) => role === (index === 0 ? 'system' : index % 2 === 1 ? 'user' : 'assistant'),
      );
    strict.behave(({ messages }) =>
      areAlternating(messages.map(({ role }) => role)) ? { chunks: ['Two euros.'] } : refusal,
    );
    const other = await startService({ ...settings, LLM_BASE_URL: strict.url });
    const assistant = await createAssistant(other, { initialMessage: 'Hello!' });
    await addFacts(other, assistant, 'prompt');
    const conversation = await other.open(assistant.uuid);
    assert.equal((await other.send(conversation, 'What does parking cost?')).json['message'], 'Two euros.');
    const count = strict.requests.length;
    const question = 'What does parking cost on Sundays?';
    assert.equal((await other.send(conversation, question)).json['message'], 'Two euros.');
    assert.equal(strict.requests.length, count + 1);
    const [, , greeting, , , last, ...others] = strict.requests.at(-1)?.messages ?? [];
    assert.deepEqual([greeting?.content, others], ['Hello!', []]);
    assert.match(
      last?.content ?? '',
      /Parking costs two euros\.[^]*\n\nWhat does parking cost on Sundays\?$/,
    );
  });
}

const toolRefusals = {
  Ollama: 'registry.ollama.ai/library/gemma3:4b does not support tools',
  vLLM: '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
  Groq: '`tool calling` is not supported with this model',
};
for (const [server, refusesTools] of Object.entries(toolRefusals)) {
  test(`sends a model that has refused tools, as with ${server}, the matching passages instead`, async () => {
    const simple = await startModelServer();
    atEnd(() => simple.close());
    simple.behave({ refusesTools, chunks: ['Two euros.'] });
    const other = await startService({ ...settings, LLM_BASE_URL: simple.url });
    const assistant = await createAssistant(other);
    await addFacts(other, assistant, 'function_call');
    const warnings = async () => (await other.get('/readyz')).json['warnings'] as string[];
    const warning =
      'The model "test-model" has no function calling: assistants answer without their tools. Matching passages of ' +
      'the knowledge base are in the prompt.';
    assert.ok(!(await warnings()).includes(warning));
    const conversation = await other.open(assistant.uuid);
    for (const text of ['What does parking cost?', 'What does parking cost on Sundays?'])
      assert.equal((await other.send(conversation, text)).json['message'], 'Two euros.');
    assert.deepEqual(
      simple.requests.map(({ tools }) => tools !== undefined),
      [true, false, false],
    );
    for (const { messages } of simple.requests.slice(1))
      assert.match(messages.at(-2)?.content ?? '', /Parking costs two euros\./);
    assert.ok((await warnings()).includes(warning));
  });
}

test('still offers its tools to a model that has refused one of them', async () => {
  const strict = await startModelServer();
  atEnd(() => strict.close());
  strict.behave({ refusesTools: "Invalid 'tools[0].function.parameters': 'format' is not supported." });
  const other = await startService({ ...settings, LLM_BASE_URL: strict.url });
  const assistant = await createAssistant(other);
  await addFacts(other, assistant, 'function_call');
  const conversation = await other.open(assistant.uuid);
  assert.equal((await other.send(conversation, 'Hello')).status, 400);
  strict.behave({});
  assert.equal((await other.send(conversation, 'Hello')).status, 200);
  assert.ok(strict.requests.at(-1)?.tools);
});

test('sends the passages of the knowledge base that match the question', async () => {
  const assistant = await createAssistant(service);
  await addFacts(service, assistant, 'prompt');
  const conversation = await service.open(assistant.uuid);
  await service.send(conversation, 'What does parking cost?');
  const prompt = model.requests.at(-1)?.messages.at(-2)?.content ?? '';
  assert.match(prompt, /Parking costs two euros\./);
  assert.doesNotMatch(prompt, /Cats sleep/);

  await service.send(conversation, 'And on Sundays?');
  assert.match(model.requests.at(-1)?.messages.at(-2)?.content ?? '', /Parking costs two euros\./);
});

test('sends every question that the knowledge base answers with the same word', async () => {
  const assistant = await createAssistant(service);
  const questions = ['Do you ship to Austria?', 'Do you ship to Poland?', 'Do you ship to Switzerland?'];
  await addFacts(
    service,
    assistant,
    'prompt',
    questions.map((question) => `## ${question}\n\nYes.`).join('\n\n'),
  );
  await service.send(await service.open(assistant.uuid), 'Do you ship to Austria?');
  const prompt = model.requests.at(-1)?.messages.at(-2)?.content ?? '';
  for (const question of questions) assert.ok(prompt.includes(`## ${question}\nYes.`), prompt);
});

test('sends the latest messages of a long conversation, as many as fit', async () => {
  const { uuid } = await createAssistant(service, { balance: '10' });
  const conversation = await service.open(uuid);
  model.behave({ chunks: ['y'.repeat(1000)] });
  for (let turn = 0; turn < 12; turn++) await service.send(conversation, `${turn} ${'x'.repeat(1900)}`);
  model.behave({});
  await service.send(conversation, 'Now');
  const messages = model.requests.at(-1)?.messages.slice(1, -1) ?? [];
  const characters = messages.reduce((sum, { content }) => sum + content.length, 0);
  assert.ok(characters > 20_000 && characters <= 24_000, String(characters));
  assert.equal(messages.at(-2)?.content.slice(0, 3), '11 ');
});

type Failure = [title: string, behavior: Behavior, reason: RegExp];
const failures: Failure[] = [
  ['refuses the key', { status: 401 }, /the assistant cannot answer at the moment/],
  ['forbids access', { status: 403 }, /the assistant cannot answer at the moment/],
  ['does not know the model', { status: 404 }, /the assistant cannot answer at the moment/],
  ['refuses the request', { status: 400 }, /the assistant cannot answer at the moment/],
  ['is overloaded', { status: 429 }, /overloaded/],
  ['breaks down', { status: 500 }, /failed to answer/],
  ['ends early', { chunks: ['Well'], ending: 'cut' }, /ended its answer early|failed|cannot be reached/],
  ['says nothing', { chunks: [] }, /did not answer/],
  ['says only spaces', { chunks: ['  ', '\n'] }, /did not answer/],
];
const silences: Failure[] = [
  ['never answers', { hang: true }, /did not answer in time/],
  ['stops responding', { chunks: ['Well'], ending: 'silence' }, /stopped responding/],
];

function refusesAndChargesNothing(failing: TestService, cases: Failure[]) {
  before(() => {
    model.behave(({ messages }) => cases.find(([title]) => title === messages.at(-1)?.content)?.[1] ?? {});
  });
  after(() => {
    model.behave({});
  });
  for (const [title, , reason] of cases) {
    test(`reports a model that ${title}, reveals no secret and charges nothing`, async () => {
      const { uuid, userId } = await createAssistant(failing, { balance: '0.02' });
      const [first, second] = [await failing.open(uuid), await failing.open(uuid)];
      const [answer, stream] = await Promise.all([failing.send(first, title), failing.stream(second, title)]);
      const events = await stream.all();
      assert.equal(answer.status, 400);
      assert.equal(answer.json['status'], false);
      assert.match(answer.json['error'] as string, /^Failed to process message: /);
      assert.match(answer.json['error'] as string, reason);
      assert.doesNotMatch(answer.text, /sk-secret|127\.0\.0\.1|leaked|http|at .*\.ts/);
      assert.deepEqual(events.at(-1), { event: 'error', data: answer.json });
      assert.ok(events.slice(0, -1).every(({ event }) => event === 'delta'));
      assert.deepEqual(await failing.history(first), []);
      assert.deepEqual(await readMoney(failing, userId), { balance: 0.02, ledger: 0.02 });
    });
  }
}

describe('a reply', { concurrency: true }, () => {
  refusesAndChargesNothing(service, failures);
});

// A separate service, since such a short timeout would fail other tests on a busy machine.
describe('a reply of a silent model', { concurrency: true }, async () => {
  refusesAndChargesNothing(await startService({ ...settings, LLM_IDLE_TIMEOUT_SECONDS: '3' }), silences);
});

test('gives up a reply that exceeds its time limit', async () => {
  const shortTimeout = await startService({ ...settings, REPLY_TIMEOUT_SECONDS: '2' });
  const { uuid } = await createAssistant(shortTimeout);
  const conversation = await shortTimeout.open(uuid);
  model.behave({ chunks: Array.from({ length: 100 }, () => 'word '), pause: 50 });
  const { status, json } = await shortTimeout.send(conversation, 'Talk');
  model.behave({});
  assert.equal(status, 400);
  assert.match(json['error'] as string, /took too long/);
});

test('a message waits for the reply before it, and its repeat for both, as long as replies may take', async (t) => {
  const patient = { ...settings, REPLY_TIMEOUT_SECONDS: '600' };
  const [first, second] = [await startService(patient), await startService(patient)];
  const { uuid } = await createAssistant(first);
  const conversation = await first.open(uuid);
  const start = globalThis.setTimeout;
  const timeouts: { milliseconds: number; expire: () => void }[] = [];
  t.mock.method(
    globalThis,
    'setTimeout',
    (expire: () => void, milliseconds: number, ...values: unknown[]) => {
      // Services of other test files in this process have timers, too.
      const isWait = new Error().stack?.includes('/src/service/conversation/');
      if (milliseconds < 300_000 || isWait !== true) return start(expire, milliseconds, ...values);
      timeouts.push({ milliseconds, expire });
      return start(() => undefined, 0);
    },
  );
  const gate = Promise.withResolvers<undefined>();
  model.behave({ gate: gate.promise });
  const key = { 'Idempotency-Key': randomUUID() };
  const isStored = (text: string) =>
    eventually(text, async () => (await first.history(conversation)).includes(`user: ${text}`));
  const one = first.send(conversation, 'One');
  await isStored('One');
  const two = first.send(conversation, 'Two', key);
  await isStored('Two');
  const repeat = second.send(conversation, 'Two', key);
  await eventually('all to wait', () => Promise.resolve(timeouts.length === 3));
  // Just before the first reply would have taken too long.
  for (const { milliseconds, expire } of timeouts) if (milliseconds < 600_000) expire();
  gate.resolve(undefined);
  const answers = await Promise.all([one, two, repeat]);
  model.behave({});
  assert.deepEqual(
    answers.map(({ status, json }) => [status, json['message']]),
    [
      [200, 'You said: One'],
      [200, 'You said: Two'],
      [200, 'You said: Two'],
    ],
  );
});

test('fails the reply if the model cannot be reached', async () => {
  const unreachable = await startService({
    ...(await newDatabase()),
    LLM_BASE_URL: `http://127.0.0.1:${await freePort()}/v1`,
    LLM_API_KEY: 'sk-secret-key',
  });
  const { uuid } = await createAssistant(unreachable);
  const { status, json } = await unreachable.send(await unreachable.open(uuid), 'Hello');
  assert.equal(status, 400);
  assert.equal(json['error'], 'Failed to process message: the language model cannot be reached');
});

test("retries once if the model's server is overloaded", async () => {
  const { uuid } = await createAssistant(service);
  const conversation = await service.open(uuid);
  let calls = 0;
  model.behave(() => (calls++ === 0 ? { status: 503 } : {}));
  const { status } = await service.send(conversation, 'Hello');
  model.behave({});
  assert.deepEqual([status, calls], [200, 2]);
});

test('removes unstorable characters from an answer and truncates an endless one', async () => {
  const { uuid } = await createAssistant(service);
  const conversation = await service.open(uuid);
  model.behave({ chunks: ['a\0b', '\ud83d', '\ude00'] });
  assert.equal((await service.send(conversation, 'Odd')).json['message'], 'ab😀');
  model.behave({ chunks: Array.from({ length: 50 }, () => 'z'.repeat(1000)) });
  assert.equal((await service.send(conversation, 'Endless')).json['message'], 'z'.repeat(32_000));
  model.behave({});
});

test('ignores the results of a content filter and empty chunks in an answer', async () => {
  const { uuid } = await createAssistant(service);
  model.behave({ chunks: ['Fine.'], annotates: true });
  const { json } = await service.send(await service.open(uuid), 'Hello');
  assert.equal(json['message'], 'Fine.');
});

const thinking = (text: string) => [{ type: 'thinking', thinking: [{ type: 'text', text }] }];
const reasonings: [title: string, chunks: NonNullable<Behavior['chunks']>, answer: string | undefined][] = [
  ['in one chunk', ['<think>Hm, a greeting.</think>\n\nHello!'], 'Hello!'],
  ['in many chunks', Array.from('\n<think>\nA greeting < a question.\n</think>\n\nHello!'), 'Hello!'],
  ['twice', ['<think>Hm, a greeting.</think>\n<think>Hello!</think>Hello!'], 'Hello!'],
  ['in parts', [thinking('A '), thinking('greeting.'), [{ type: 'text', text: 'Hel' }], 'lo!'], 'Hello!'],
  ['without an answer', ['<think>Hm, a ', 'greeting.'], undefined],
];
for (const [title, chunks, answer] of reasonings) {
  test(`drops the reasoning that a model writes before its answer, ${title}`, async () => {
    const { uuid } = await createAssistant(service);
    model.behave({ chunks });
    const events = await (await service.stream(await service.open(uuid), 'Hello')).all();
    model.behave({});
    const deltas = events.filter(({ event }) => event === 'delta').map(({ data }) => data['text']);
    assert.deepEqual([deltas.join(''), events.at(-1)?.data['message']], [answer ?? '', answer]);
  });
}

for (const answer of ['Write <think>Hm.</think> here.', '<', '<thinking> is an element.', '\n\nHello']) {
  test(`keeps the answer “${answer}”`, async () => {
    const { uuid } = await createAssistant(service);
    model.behave({ chunks: Array.from(answer) });
    const { json } = await service.send(await service.open(uuid), 'Hello');
    model.behave({});
    assert.equal(json['message'], answer);
  });
}

test('answers the next message after a failed reply', async () => {
  const { uuid } = await createAssistant(service);
  const conversation = await service.open(uuid);
  model.behave(({ messages }) => (messages.at(-1)?.content === 'Bad' ? { status: 400 } : {}));
  const answers = await Promise.all(['One', 'Bad', 'Two'].map((text) => service.send(conversation, text)));
  model.behave({});
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 400]);
  assert.equal((await service.history(conversation)).length, 4);
});

const ping = { name: 'ping', description: 'Pings.', parameters: [] };
const engineRequest: EngineRequest = {
  assistant: {
    ...{ uuid: 'the-assistant', name: 'A', language: 'en', secondaryLanguages: [] },
    ...{ systemPrompt: 'Be kind.', temperature: 0, model: null, toolModel: null },
  },
  ...{ history: [], message: 'Hello', toolResults: [], pageTools: [], includesPassages: false },
  tools: [{ ...ping, run: () => Promise.resolve({ result: 'pong' }) }],
  findPassages: () => Promise.resolve([]),
};

describe('the tokens of a reply', () => {
  const priced = { baseUrl: model.url, apiKey: undefined, model: 'priced', idleTimeoutMs: 5000 };
  const price = { input: 2, output: 10 };

  /** Lets the engine answer, reading at most `most` events. Returns its log. */
  async function logged(config: LanguageModelConfig, behavior: Behavior, most = Infinity) {
    const lines: Record<string, unknown>[] = [];
    const write = (line: string) => {
      const { msg, assistant, purpose, inputTokens, outputTokens, cost } = JSON.parse(line) as Record<
        string,
        unknown
      >;
      if (msg === 'tokens of a model') lines.push({ assistant, purpose, inputTokens, outputTokens, cost });
    };
    model.behave(behavior);
    const engine = new OpenAiEngine(config, [], pino({}, { write }), () => Promise.resolve());
    const events = engine.reply(engineRequest, new AbortController().signal);
    for (let read = 0; read < most && !(await events.next()).done; read++);
    await events.return(undefined);
    model.behave({});
    return lines;
  }

  test('are logged as the model reports them, of all its responses together, with their cost', async () => {
    const usage = { prompt_tokens: 1000, completion_tokens: 50 };
    const calls = [{ name: 'ping', arguments: {} }];
    assert.deepEqual(await logged({ ...priced, price }, { calls, usage }), [
      { assistant: 'the-assistant', purpose: 'reply', inputTokens: 2000, outputTokens: 100, cost: 0.005 },
    ]);
  });

  test('are estimated if the model reports none, also of a reply that was stopped', async () => {
    const chunks = ['x'.repeat(400), 'y'.repeat(400)];
    const [whole] = await logged({ ...priced, price }, { chunks });
    assert.equal(whole?.['outputTokens'], 200);
    const inputTokens = Number(whole['inputTokens']);
    assert.ok(inputTokens > 20 && inputTokens < 200, String(inputTokens));
    assert.equal(whole['cost'], (inputTokens * 2 + 2000) / 1e6);
    const [stopped] = await logged({ ...priced, price }, { chunks, pause: 20 }, 1);
    assert.deepEqual([stopped?.['inputTokens'], stopped?.['outputTokens']], [inputTokens, 100]);
  });

  test('have no cost without a price', async () => {
    const [line] = await logged(priced, {});
    assert.equal(line?.['cost'], undefined);
    assert.ok(Number(line?.['inputTokens']) > 0);
  });
});

describe('a failure that only the operator can end', () => {
  const unavailable = 'the assistant cannot answer at the moment';
  const cases: [title: string, behavior: Behavior, warning: RegExp, ownerReason: string][] = [
    [
      'no credit',
      { status: 402 },
      /^The account of the model "m-1" has no credit left \(402\)\./,
      'the account of the language model has no credit left (402)',
    ],
    [
      'a used-up quota',
      { status: 429, code: 'insufficient_quota' },
      /^The account of the model "m-1" has no credit left \(429\)\./,
      'the account of the language model has no credit left (429)',
    ],
    [
      'a refused request',
      { status: 400, code: 'unsupported_value' },
      /^The model "m-1" has refused the latest request \(400\)\./,
      'the model refuses the request (400)',
    ],
    [
      'an unprocessable request',
      { status: 422 },
      /^The model "m-1" has refused the latest request \(422\)\./,
      'the model refuses the request (422)',
    ],
  ];

  /** Answers once with each behavior. Returns the error, and what the operator reads then. */
  async function failing(behavior: Behavior) {
    let log = '';
    const config = { baseUrl: model.url, apiKey: undefined, model: 'm-1', idleTimeoutMs: 5000 };
    const engine = new OpenAiEngine(
      config,
      [],
      pino({}, { write: (line: string) => void (log += line) }),
      () => Promise.resolve(),
    );
    const answer = async (current: Behavior) => {
      model.behave(current);
      try {
        for await (const event of engine.reply(engineRequest, new AbortController().signal)) assert.ok(event);
        return undefined;
      } catch (error) {
        return error as EngineError;
      } finally {
        model.behave({});
      }
    };
    const error = await answer(behavior);
    const { warnings } = engine;
    await answer({});
    return { error, warnings, later: engine.warnings, log };
  }

  for (const [title, behavior, warning, ownerReason] of cases) {
    test(`is in the warnings until the model answers, and in the log with its code: ${title}`, async () => {
      const { error, warnings, later, log } = await failing(behavior);
      assert.deepEqual([error?.message, error?.ownerReason], [unavailable, ownerReason]);
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', warning);
      assert.deepEqual(later, []);
      if (behavior.code !== undefined) assert.ok(log.includes(`"code":"${behavior.code}"`), log);
    });
  }

  test('is not one that ends by itself, such as a rate limit', async () => {
    const { error, warnings } = await failing({ status: 429, code: 'rate_limit_exceeded' });
    assert.equal(error?.message, 'the language model is overloaded');
    assert.deepEqual(warnings, []);
  });
});
