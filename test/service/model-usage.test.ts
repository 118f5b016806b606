import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { Owner } from '../support/records/owner.ts';
import { createApiKey } from '../support/service/create-api-key.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import type { Behavior, ChatRequest } from '../support/servers/model-server.ts';
import { atEnd, createAssistant, newDatabase, readMoney, startService } from '../support/service/service.ts';
import { eventually } from '../support/eventually.ts';

const model = await startModelServer();
atEnd(() => model.close());
const evaluation = { sentiment: null, outcome: null, score: null, variables: {} };
const behavior = ({ stream }: ChatRequest): Behavior => ({
  ...(stream === true ? {} : { chunks: [JSON.stringify(evaluation)] }),
  usage: { prompt_tokens: 1000, completion_tokens: 50 },
});
model.behave(behavior);
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
  const { rows } = await pool.query<{ id: string }>(
    'UPDATE conversations SET ended_at = now() WHERE uuid = $1 RETURNING id',
    [conversation],
  );
  await jobs.send('conversation-ended', { conversationId: Number(rows[0]?.id) });
  await eventually('the evaluation', async () => (await readUsage(owner))[0]?.['evaluations'] === 1);
  assert.deepEqual(await readUsage(owner), [
    { ...row, evaluations: 1, input_tokens: 3000, output_tokens: 150, cost: 0.0075 },
  ]);
});

test('an end is evaluated once, and its messages are charged once, whatever follows', async (t) => {
  const { owner, uuid, id } = await createOwner();
  await pool.query(`UPDATE assistants SET tools = '[{"type": "end_call"}]' WHERE id = $1`, [id]);
  const bye = Promise.withResolvers<undefined>();
  const late = Promise.withResolvers<string>();
  t.after(() => {
    model.behave(behavior);
  });
  model.behave((request) => {
    const line = request.messages.findLast(({ role }) => role === 'user')?.content;
    if (request.stream !== true || line === 'Hello') return behavior(request);
    if (line === 'Late') return { ...behavior(request), chunks: [late.promise] };
    return {
      ...behavior(request),
      gate: bye.promise,
      before: 'Goodbye!',
      calls: [{ name: 'end_call', arguments: {} }],
    };
  });
  const conversation = await chat(uuid, ['Hello']);
  // The answer to the first message ends the conversation before the second one is answered.
  const ending = service.send(conversation, 'Bye');
  const isStored = async (text: string) => (await service.history(conversation)).includes(`user: ${text}`);
  await eventually('the first message', () => isStored('Bye'));
  const answering = service.send(conversation, 'Late');
  await eventually('the second message', () => isStored('Late'));
  bye.resolve(undefined);
  assert.equal((await ending).json['ended'], true, (await ending).text);
  const completed = async () => {
    const { rows: done } = await pool.query(
      `SELECT 1 FROM jobs.job WHERE name = 'conversation-ended' AND state = 'completed'
         AND (data ->> 'conversationId')::bigint = (SELECT id FROM conversations WHERE uuid = $1)`,
      [conversation],
    );
    return done.length;
  };
  const evaluations = async () => (await readUsage(owner))[0]?.['evaluations'];
  // It is sent again, since the second answer belongs to the conversation.
  await eventually('the first job', async () => (await completed()) === 1);
  assert.equal(await evaluations(), 0);
  late.resolve('As I said: goodbye.');
  assert.equal((await answering).status, 200);
  await eventually('the evaluation', async () => (await evaluations()) === 1);
  const desk = { Authorization: `Bearer ${owner.key}` };
  for (const action of ['disable-ai', 'enable-ai']) {
    const path = `/api/automate/conversations/${conversation}/${action}`;
    assert.equal((await service.post(path, undefined, desk)).status, 200);
  }
  const { rows } = await pool.query<{ id: string }>('SELECT id FROM conversations WHERE uuid = $1', [
    conversation,
  ]);
  const conversationId = Number(rows[0]?.id);
  await jobs.send('conversation-ended', { conversationId });
  await eventually('the repeated job', async () => (await completed()) === 3);
  assert.equal(await evaluations(), 1);
  const { rows: entries } = await pool.query<{ kind: string; amount: string }>(
    "SELECT kind, amount FROM ledger_entries WHERE user_id = $1 AND kind <> 'top_up'",
    [owner.id],
  );
  assert.deepEqual(
    entries.map(({ kind, amount }) => [kind, Number(amount)]),
    [
      ['charge', -0.01],
      ['charge', -0.01],
      ['charge', -0.01],
    ],
  );
  assert.deepEqual(await readMoney(service, owner.id), { balance: 0.97, ledger: 0.97 });
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
