import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { ConfigError, readConfig } from '../../src/service/config.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { Owner } from '../support/records/owner.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { createToolAssistant } from '../support/records/tool-assistant.ts';

const [defaultModel, ownModel] = [await startModelServer(), await startModelServer()];
const shop = await startLoopbackServer(() => ({ open: true }));
for (const server of [defaultModel, ownModel, shop]) atEnd(() => server.close());

// Unique codes, since all services of the tests share one database.
const code = (name: string) => `${name}-${randomUUID().slice(0, 8)}`;
const [text, voice, double, bare] = [code('text'), code('voice'), code('double'), code('bare')];
const models = [
  { code: text, name: 'Clever', baseUrl: ownModel.url, apiKeyEnv: 'SPECIAL_KEY', model: 'clever-1' },
  { code: voice, type: 'multimodal', baseUrl: ownModel.url, model: 'voice-1' },
  { code: double, type: 'dualplex', model: 'double-1' },
  { code: bare },
];
const env = {
  LLM_BASE_URL: defaultModel.url,
  LLM_API_KEY: 'sk-standard',
  LLM_MODEL: 'standard-1',
  ALLOW_PRIVATE_ADDRESSES: shop.address,
};
const service = await startService({ ...env, SPECIAL_KEY: 'sk-special', MODELS: JSON.stringify(models) });

const owner = await Owner.create(service);
const idOf = async (code: string, type: string) => {
  const { rows } = await service.running.database.pool.query<{ id: number }>(
    'SELECT id FROM models WHERE code = $1 AND type = $2',
    [code, type],
  );
  return rows[0]?.id ?? assert.fail(`${code} is not listed`);
};
const tool = { name: 'look_up', endpoint: `${shop.url}/hours` };
const spoken = async (mode: string, model: string, more: object = {}) => ({
  mode,
  voice_id: mode === 'multimodal' ? 3 : 1,
  llm_model_id: null,
  multimodal_model_id: await idOf(model, mode),
  ...more,
});
const last = ({ requests }: typeof defaultModel) =>
  [requests.at(-1)?.model, requests.at(-1)?.authorization] as const;
const ask = async (assistant: Record<string, unknown>, tools: Record<string, unknown>[] = []) => {
  const { uuid } = await createToolAssistant(service, tools, assistant);
  return service.send(await service.open(uuid), 'Hello');
};

test('offers configured models, once even after restarts', async () => {
  await startService({ ...env, MODELS: JSON.stringify([{ code: text, name: 'Cleverer' }]) });
  const { text: listed } = await owner.get('assistants/models');
  const names = (JSON.parse(listed) as { id: number; name: string }[]).map(({ name }) => name);
  assert.deepEqual(
    names.filter((name) => name.startsWith('Clever')),
    ['Cleverer'],
  );
  assert.ok(names.includes(bare));
  assert.match((await owner.get('assistants/models?type=multimodal')).text, new RegExp(voice));
});

test('uses the model of the assistant with its URL, key and temperature', async () => {
  await ask({ llm_model_id: await idOf(text, 'llm'), llm_temperature: 0.8 });
  assert.deepEqual(last(ownModel), ['clever-1', 'Bearer sk-special']);
  assert.equal(ownModel.requests.at(-1)?.temperature, 0.8);
});

test('uses the default URL for a model without one, and the default model for an unlisted one', async () => {
  await ask(await spoken('dualplex', double));
  assert.deepEqual(last(defaultModel), ['double-1', 'Bearer sk-standard']);
  for (const id of [await idOf(bare, 'llm'), 1]) {
    await ask({ llm_model_id: id });
    assert.deepEqual(last(defaultModel), ['standard-1', 'Bearer sk-standard']);
  }
});

test('does not send the default key to other URLs', async () => {
  await ask(await spoken('multimodal', voice));
  assert.deepEqual(last(ownModel), ['voice-1', 'Bearer none']);
});

test('uses chat_llm_fallback_id for tool calls in the multimodal modes only', async () => {
  for (const server of [defaultModel, ownModel])
    server.behave({ calls: [{ name: 'look_up', arguments: {} }], chunks: ['We are open.'] });
  const chat_llm_fallback_id = await idOf(bare, 'llm');
  const counts = () => [defaultModel.requests.length, ownModel.requests.length] as const;

  let before = counts();
  const { json } = await ask(await spoken('multimodal', voice, { chat_llm_fallback_id }), [tool]);
  assert.equal(json['message'], 'We are open.');
  assert.deepEqual(counts(), [before[0] + 2, before[1]]);
  assert.equal(last(defaultModel)[0], 'standard-1');
  assert.equal(defaultModel.requests.at(-1)?.messages.at(-1)?.content, '{"open":true}');

  before = counts();
  await ask(await spoken('multimodal', voice, { chat_llm_fallback_id }));
  assert.deepEqual([counts(), last(ownModel)[0]], [[before[0], before[1] + 1], 'voice-1']);

  before = counts();
  await ask(await spoken('multimodal', voice), [tool]);
  await ask({ llm_model_id: await idOf(text, 'llm') }, [tool]);
  assert.deepEqual(counts(), [before[0], before[1] + 4]);
});

test('keeps the problem of one entry until it answers, although another with the same model answers', async () => {
  const warnings = async () => (await service.get('/readyz')).json['warnings'] as string[];
  const problem =
    `The endpoint of the model "standard-1" (${bare}) refuses the API key (401). ` +
    'Check LLM_API_KEY or MODELS.';
  const llm_model_id = await idOf(bare, 'llm');
  defaultModel.behave({ status: 401 });
  await ask({ llm_model_id });
  assert.ok((await warnings()).includes(problem));

  defaultModel.behave({ chunks: ['Online.'] });
  assert.equal((await ask({ llm_model_id: 1 })).json['message'], 'Online.');
  assert.ok((await warnings()).includes(problem));

  await ask({ llm_model_id });
  assert.ok(!(await warnings()).includes(problem));
});

test('uses the offline engine for an unlisted model without a default model', async () => {
  const here = await startService({ MODELS: JSON.stringify([{ code: text, baseUrl: ownModel.url }]) });
  ownModel.behave({ chunks: ['Online.'] });
  for (const [id, answer] of [
    [await idOf(text, 'llm'), 'Online.'],
    [1, 'Hello! What would you like to know?'],
  ] as const) {
    const { uuid } = await createToolAssistant(here, [], { llm_model_id: id });
    assert.equal((await here.send(await here.open(uuid), 'Hello')).json['message'], answer);
  }
});

test('includes the secondary languages in the prompt', async () => {
  defaultModel.behave({});
  await ask({ language_id: 1, secondary_language_ids: [2, 3] });
  const [first] = defaultModel.requests.at(-1)?.messages ?? [];
  assert.match(
    first?.content ?? '',
    /if it is one of those with the codes "en", "de", "\w\w".*in the one with the code "en"/s,
  );
  await ask({});
  assert.match(
    defaultModel.requests.at(-1)?.messages[0]?.content ?? '',
    /Answer in the visitor's language; if in doubt/,
  );
});

describe('the setting MODELS', () => {
  test('accepts a file', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'models-'));
    atEnd(() => rm(folder, { recursive: true, force: true }));
    await writeFile(join(folder, 'models.json'), JSON.stringify([{ code: 'fast', model: 'fast-1' }]));
    const { models: found } = readConfig({ ...env, MODELS: join(folder, 'models.json') });
    assert.deepEqual(
      found.map(({ name, type, endpoint }) => [name, type, endpoint?.model, endpoint?.baseUrl]),
      [['fast', 'llm', 'fast-1', defaultModel.url]],
    );
  });

  for (const [wrong, reason] of [
    ['[', /valid JSON/],
    ['/nowhere/models.json', /a file that holds one/],
    ['[{}]', /list of models: 0 code/],
    ['[{"code":"a","url":"x"}]', /list of models/],
    ['[{"code":"a","baseUrl":"ftp://x"}]', /http or https/],
    ['[{"code":"a","type":"video"}]', /type/],
    ['[{"code":"a"},{"code":"a"}]', /each code once/],
    ['[{"code":"a","apiKeyEnv":"NOT_SET"}]', /NOT_SET of a is not/],
    ['[{"code":"a","realtimeModel":"r"}]', /realtimeModel only with the type multimodal or dualplex/],
  ] as const) {
    test(`refuses ${wrong}`, () => {
      assert.throws(
        () => readConfig({ MODELS: wrong }),
        (error: Error) =>
          error instanceof ConfigError && /^MODELS must/.test(error.message) && reason.test(error.message),
      );
    });
  }
});
