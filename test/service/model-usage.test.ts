import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { Owner } from '../support/records/owner.ts';
import { createApiKey } from '../../src/service/api-key/api-key.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, newDatabase, startService } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';

const model = await startModelServer();
atEnd(() => model.close());
const evaluation = { sentiment: null, outcome: null, score: null, variables: {} };
model.behave(({ stream }) => ({
  ...(stream === true ? {} : { chunks: [JSON.stringify(evaluation)] }),
  usage: { prompt_tokens: 1000, completion_tokens: 50 },
}));
const service = await startService({
  ...(await newDatabase()),
  WORKERS: 'on',
  LLM_BASE_URL: model.url,
  LLM_MODEL: 'unpriced',
  MODELS: JSON.stringify([{ code: 'priced', model: 'priced', price: { input: 2, output: 10 } }]),
});
const { database } = service.running;
const { pool } = database;
const jobs = new StoredJobs(database);

/** Returns the response's `data`. */
async function readUsage(owner: Owner, query = ''): Promise<Record<string, unknown>[]> {
  const { status, json, text } = await owner.get(`model-usage${query}`);
  assert.equal(status, 200, text);
  return json['data'] as Record<string, unknown>[];
}

async function createOwner() {
  const owner = await Owner.create(service, '1');
  return { owner, ...(await createAssistant(service, { userId: owner.id, name: 'Shop' })) };
}

const choose = (id: number, code: string) =>
  pool.query(
    'UPDATE assistants SET llm_model_id = (SELECT models.id FROM models WHERE code = $2) WHERE id = $1',
    [id, code],
  );

async function chat(uuid: string, texts: string[]): Promise<string> {
  const conversation = await service.open(uuid);
  for (const text of texts) assert.equal((await service.send(conversation, text)).status, 200);
  return conversation;
}

test('owners see which assistant used how many tokens of which model, and what they cost', async () => {
  const { owner, uuid, id } = await createOwner();
  await choose(id, 'priced');
  const conversation = await chat(uuid, ['One', 'Two']);
  const ofCalls = { transcriptions: 0, transcribed_seconds: 0 };
  const row = { assistant_id: uuid, assistant_name: 'Shop', model: 'priced', replies: 2, ...ofCalls };
  assert.deepEqual(await readUsage(owner), [
    { ...row, evaluations: 0, input_tokens: 2000, output_tokens: 100, cost: 0.005 },
  ]);
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM conversations WHERE uuid = $1', [
    conversation,
  ]);
  await jobs.send('conversation-ended', { conversationId: Number(rows[0]?.id) });
  await eventually('the evaluation', async () => (await readUsage(owner))[0]?.['evaluations'] === 1);
  assert.deepEqual(await readUsage(owner), [
    { ...row, evaluations: 1, input_tokens: 3000, output_tokens: 150, cost: 0.0075 },
  ]);
});

test('the cost is null while a model has no price, also after it gets one', async () => {
  const { owner, uuid } = await createOwner();
  await chat(uuid, ['One']);
  const [used] = await readUsage(owner);
  assert.deepEqual([used?.['model'], used?.['input_tokens'], used?.['cost']], ['unpriced', 1000, null]);
  await pool.query('UPDATE model_usage SET cost = 1, has_unknown_cost = true');
  assert.equal((await readUsage(owner))[0]?.['cost'], null);
});

test('each model is a row, the most used one first', async () => {
  const { owner, uuid, id } = await createOwner();
  await chat(uuid, ['One']);
  await choose(id, 'priced');
  await chat(uuid, ['One', 'Two']);
  const models = (await readUsage(owner)).map(({ model: name, replies }) => [name, replies]);
  assert.deepEqual(models, [
    ['priced', 2],
    ['unpriced', 1],
  ]);
});

test('date_from and date_to select days, both inclusive', async () => {
  const { owner, uuid, id } = await createOwner();
  await chat(uuid, ['One']);
  await pool.query("UPDATE model_usage SET day = '2026-03-01' WHERE assistant_id = $1", [id]);
  await chat(uuid, ['Two', 'Three']);
  const replies = async (query: string) => (await readUsage(owner, query)).map((row) => row['replies']);
  assert.deepEqual(await replies(''), [3]);
  assert.deepEqual(await replies('?date_to=2026-03-01'), [1]);
  assert.deepEqual(await replies('?date_from=2026-03-01&date_to=2026-03-01'), [1]);
  assert.deepEqual(await replies('?date_from=2026-03-02'), [2]);
  assert.equal((await owner.get('model-usage?date_from=today')).status, 422);
});

test('replies that fail count, and those of the offline engine and other owners do not', async () => {
  const { owner, uuid, id } = await createOwner();
  const { owner: otherOwner } = await createOwner();
  await choose(id, 'priced');
  const conversation = await service.open(uuid);
  model.behave({ chunks: [''], usage: { prompt_tokens: 7, completion_tokens: 0 } });
  assert.equal((await service.send(conversation, 'Hi')).status, 400);
  model.behave({});
  assert.equal((await readUsage(owner))[0]?.['input_tokens'], 7);
  assert.deepEqual(await readUsage(otherOwner), []);

  const offline = await startService();
  const { uuid: other, userId } = await createAssistant(offline);
  await offline.send(await offline.open(other), 'Hi');
  const Authorization = `Bearer ${await createApiKey(offline.running.database.db, userId, 'Test')}`;
  const { json } = await offline.get('/api/user/model-usage', { Authorization });
  assert.deepEqual(json['data'], []);
});
