import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { readConfig } from '../../src/service/config.ts';
import type { Jobs } from '../../src/service/jobs/jobs.ts';
import { embedChunks } from '../../src/service/knowledge/embed-chunks.ts';
import { Embedder } from '../../src/service/knowledge/embedder.ts';
import { findPassages } from '../../src/service/knowledge/find-passages.ts';
import { importDocument } from '../../src/service/knowledge/import-document.ts';
import { preparePgvector } from '../../src/service/knowledge/semantic-search.ts';
import { createLog, describeError } from '../../src/service/log.ts';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { processed } from '../support/records/documents.ts';
import { startEmbeddingServer } from '../support/servers/embedding-server.ts';
import { startModelServer } from '../support/servers/model-server.ts';
import { Owner } from '../support/records/owner.ts';
import { atEnd, newDatabase, startService, testDatabase } from '../support/service/service.ts';

const embedding = await startEmbeddingServer([
  ['cars', 'automobiles', 'vehicles'],
  ['dogs', 'hounds'],
  ['parking', 'garage'],
]);
const model = await startModelServer();
atEnd(() => model.close());
const env = {
  ...(await newDatabase()),
  EMBEDDING_BASE_URL: embedding.url,
  EMBEDDING_MODEL: 'meanings',
  LLM_BASE_URL: model.url,
  WORKERS: 'on',
};
const service = await startService(env);
const { db, pool } = service.running.database;
const owner = await Owner.create(service, '1');
const embedder = new Embedder(
  { baseUrl: embedding.url, apiKey: undefined, model: 'meanings' },
  createLog('silent'),
);

const markdown = '# Rules\n\n## Engines\n\nAutomobiles stay outside.\n\n## Animals\n\nHounds are welcome.';
const { id: base } = await owner.create('knowledgebases', { name: 'House' });
const form = { name: 'Rules', type: 'txt', file: new Blob([markdown]) };
const { json } = await owner.upload(`knowledgebases/${base}/documents`, form);
const { id: document } = json['data'] as { id: number };
await processed(owner, base, document);

// Optional on a PostgreSQL server. Without it, the service compares vectors itself.
const { rows: extensions } = await pool.query("SELECT 1 FROM pg_extension WHERE extname = 'vector'");
const hasPgvector = extensions.length > 0;

const find = async (question: string, knowledgebase = base) =>
  (await findPassages(db, knowledgebase, question, 5, embedder)).map(({ heading }) => heading);

const vectorsOf = async (id: number) => {
  const { rows } = await pool.query<{ embedding: number[] | null; embedding_model: string | null }>(
    'SELECT embedding, embedding_model FROM chunks WHERE document_id = $1 ORDER BY position',
    [id],
  );
  return rows;
};

test('enables semantic search if an address or a key is set', () => {
  assert.equal(readConfig({}).embedding, undefined);
  const { embedding: hosted } = readConfig({ EMBEDDING_API_KEY: 'sk-1' });
  assert.deepEqual([hosted?.apiKey, hosted?.model], ['sk-1', 'text-embedding-3-small']);
});

test('embeds the chunks of a document before it is active', async () => {
  const stored = await vectorsOf(document);
  assert.deepEqual(
    stored.map(({ embedding: vector, embedding_model: name }) => [name, vector?.length]),
    [
      ['meanings', 4],
      ['meanings', 4],
    ],
  );
  for (const { embedding: vector } of stored) assert.ok(Math.abs(Math.hypot(...(vector ?? [])) - 1) < 1e-6);
});

test('finds a passage that contains no word of the question', async () => {
  assert.deepEqual(await find('May I bring vehicles?'), ['Engines']);
  assert.deepEqual(await find('dogs?'), ['Animals']);
  assert.ok(hasPgvector || testDatabase === 'postgres', 'the embedded database brings pgvector');
});

test('ranks a passage first that both searches find', async () => {
  assert.deepEqual(await find('Are hounds welcome, or cars?'), ['Animals', 'Engines']);
});

test('falls back to full text search while the endpoint is unavailable', async () => {
  embedding.status = 500;
  try {
    assert.deepEqual(await find('hounds'), ['Animals']);
    assert.deepEqual(await find('dogs'), []);
  } finally {
    embedding.status = undefined;
  }
});

test('waits only once for an endpoint that does not respond', async () => {
  const before = embedding.requests.length;
  const gate = Promise.withResolvers<undefined>();
  embedding.gate = gate.promise;
  assert.deepEqual(await find('hounds'), ['Animals']);
  embedding.gate = undefined;
  gate.resolve(undefined);
  assert.equal(embedding.requests.length, before + 1);
});

test('logs neither the key nor the texts that the endpoint quotes in an error', async () => {
  const lines: string[] = [];
  const log = pino(
    { serializers: { err: describeError } },
    { write: (line: string) => void lines.push(line) },
  );
  const known = new Embedder({ baseUrl: embedding.url, apiKey: 'sk-private', model: 'meanings' }, log);
  embedding.status = 401;
  try {
    await known.embedQuestion('PrivateText');
    const failed = await known.embed(['PrivateText']).catch((error: unknown) => error);
    log.warn({ err: failed }, 'a job failed');
  } finally {
    embedding.status = undefined;
  }
  assert.match(lines.join(''), /AuthenticationError, status 401/);
  assert.doesNotMatch(lines.join(''), /sk-private|PrivateText/);
});

test('includes passages in the prompt or offers the search tool, depending on the mode', async () => {
  for (const mode of ['prompt', 'function_call', 'hybrid'] as const) {
    const created = await owner.create(
      'assistant',
      assistantBody({ knowledgebase_id: base, knowledgebase_mode: mode === 'hybrid' ? 'prompt' : mode }),
    );
    // Only older assistants have this mode; the API no longer accepts it.
    if (mode === 'hybrid')
      await pool.query('UPDATE assistants SET knowledgebase_mode = $1 WHERE id = $2', [mode, created.id]);
    const { uuid } = await readAssistant(owner, created.id);
    const conversation = await service.open(String(uuid), { type: 'test' });
    model.behave({ calls: [{ name: 'search_knowledge', arguments: { query: 'hounds' } }], chunks: ['Yes.'] });
    const before = model.requests.length;
    const { json: answer } = await service.send(conversation, 'Are hounds welcome?');
    assert.equal(answer['message'], 'Yes.');
    const [first, second] = model.requests.slice(before);
    const offered = first?.tools?.map((tool) => tool.function.name) ?? [];
    if (mode !== 'function_call') {
      assert.match(
        first?.messages.at(-2)?.content ?? '',
        /<excerpt-\w+>\nDocument: Rules\n## Animals\nHounds are welcome\./,
      );
    } else {
      assert.doesNotMatch(JSON.stringify(first?.messages), /Hounds/);
    }
    if (mode === 'prompt') {
      assert.deepEqual([offered, answer['function_calls']], [[], []]);
    } else {
      assert.deepEqual(offered, ['search_knowledge']);
      assert.match(
        second?.messages.at(-1)?.content ?? '',
        /"document":"Rules","heading":"Animals","body":"Hounds are welcome\."/,
      );
      assert.deepEqual(answer['function_calls'], [
        {
          name: 'search_knowledge',
          arguments: { query: 'hounds' },
          result: { passages: [{ document: 'Rules', heading: 'Animals' }] },
        },
      ]);
    }
  }
});

test(
  'compares vectors itself if pgvector is in a schema that is not searched',
  { skip: !hasPgvector && 'needs pgvector' },
  async () => {
    await pool.query('CREATE SCHEMA elsewhere; ALTER EXTENSION vector SET SCHEMA elsewhere');
    try {
      assert.equal(await preparePgvector(db), false);
      assert.deepEqual(await find('dogs?'), ['Animals']);
    } finally {
      await pool.query('ALTER EXTENSION vector SET SCHEMA public; DROP SCHEMA elsewhere');
    }
    assert.equal(await preparePgvector(db), true);
  },
);

test('uses only full text search for a large knowledge base without pgvector', async () => {
  const { id } = await owner.create('knowledgebases', { name: 'Large' });
  await importDocument(db, id, { name: 'Kennel', markdown: 'The dogs sleep.' });
  await pool.query(
    `INSERT INTO chunks (knowledgebase_id, document_id, position, heading, body, embedding, embedding_model, search)
     SELECT knowledgebase_id, id, n, 'Kennel', 'n', '{0,1,0,0}', 'meanings', ''
     FROM documents, generate_series(1, 5001) AS n WHERE knowledgebase_id = $1`,
    [id],
  );
  assert.deepEqual(new Set(await find('hounds', id)), new Set(hasPgvector ? ['Kennel'] : []));
  assert.deepEqual(await find('sleep', id), ['Kennel']);
  await pool.query('DELETE FROM chunks WHERE knowledgebase_id = $1 AND position = 5001', [id]);
  assert.deepEqual(new Set(await find('hounds', id)), new Set(['Kennel']));
  await owner.delete(`knowledgebases/${id}`);
});

test('embeds chunks and answers requests with a single connection', async () => {
  const opened = Promise.withResolvers<undefined>();
  const singleConnection = await startService({ ...env, ...(await newDatabase()), DATABASE_POOL_SIZE: '1' });
  const other = await Owner.create(singleConnection, '1');
  const { id } = await other.create('knowledgebases', { name: 'Lone' });
  await importDocument(singleConnection.running.database.db, id, {
    name: 'Kennel',
    markdown: 'The lone dogs sleep.',
  });
  const dependencies = {
    database: singleConnection.running.database,
    jobs: { send: () => Promise.resolve() } satisfies Jobs,
    embedder,
  };
  embedding.gate = opened.promise;
  const done = embedChunks(dependencies, new AbortController().signal);
  while (!embedding.requests.flat().some((text) => text.includes('lone dogs'))) await turn();
  assert.equal((await other.get('knowledgebases')).status, 200);
  opened.resolve(undefined);
  embedding.gate = undefined;
  await done;
  const { rows } = await singleConnection.running.database.pool.query(
    "SELECT 1 FROM chunks WHERE embedding_model = 'meanings'",
  );
  assert.equal(rows.length, 1);
});

test('embeds a renamed document again', async () => {
  const { id } = await owner.create('knowledgebases', { name: 'Renamed' });
  const { json: uploaded } = await owner.upload(`knowledgebases/${id}/documents`, {
    name: 'Notes',
    type: 'txt',
    file: new Blob(['Ask at the desk.']),
  });
  const { id: renamed } = uploaded['data'] as { id: number };
  await processed(owner, id, renamed);
  assert.deepEqual(await find('vehicles', id), []);
  await owner.put(`knowledgebases/${id}/documents/${renamed}`, { name: 'Automobiles' });
  while ((await vectorsOf(renamed)).some(({ embedding_model: name }) => name === null)) await turn();
  assert.deepEqual(await find('vehicles', id), ['Automobiles']);
});

test('embeds a document again that is renamed while it is embedded', async () => {
  const { id } = await owner.create('knowledgebases', { name: 'Renamed meanwhile' });
  await importDocument(db, id, { name: 'Notes', markdown: 'Ask in the office.' });
  const { json: listed } = await owner.get(`knowledgebases/${id}/documents`);
  const [{ id: renamed } = { id: 0 }] = listed['data'] as { id: number }[];
  const opened = Promise.withResolvers<undefined>();
  embedding.gate = opened.promise;
  const jobs: Jobs = { send: () => Promise.resolve() };
  const dependencies = { database: service.running.database, jobs, embedder };
  const done = embedChunks(dependencies, new AbortController().signal);
  while (!embedding.requests.flat().includes('Notes\nAsk in the office.')) await turn();
  await owner.put(`knowledgebases/${id}/documents/${renamed}`, { name: 'Automobiles' });
  opened.resolve(undefined);
  embedding.gate = undefined;
  await done;
  assert.deepEqual(await find('vehicles', id), ['Automobiles']);
});

test(
  'embeds each chunk in one process only',
  { skip: testDatabase === 'pglite' && 'an embedded database belongs to one process' },
  async () => {
    const { id } = await owner.create('knowledgebases', { name: 'Shared' });
    await importDocument(db, id, { name: 'Kennel', markdown: 'The dogs sleep.' });
    const before = embedding.requests.length;
    const opened = Promise.withResolvers<undefined>();
    embedding.gate = opened.promise;
    const sent: [string, unknown][] = [];
    const jobs: Jobs = {
      send(queue, _, options) {
        sent.push([queue, options]);
        return Promise.resolve();
      },
    };
    const dependencies = { database: service.running.database, jobs, embedder };
    const { signal } = new AbortController();
    const first = embedChunks(dependencies, signal);
    while (embedding.requests.length === before) await turn();
    await embedChunks(dependencies, signal);
    assert.deepEqual(sent, [['embed-chunks', { startAfter: 10_000 }]]);
    opened.resolve(undefined);
    embedding.gate = undefined;
    await first;
    assert.deepEqual(embedding.requests.slice(before), [['Kennel\nThe dogs sleep.']]);
    assert.deepEqual(await find('hounds', id), ['Kennel']);
    await embedChunks(dependencies, signal);
    assert.equal(sent.length, 1);
  },
);

test('embeds chunks without a vector, or of another model, when a service starts', async () => {
  const { id } = await owner.create('knowledgebases', { name: 'Earlier' });
  await importDocument(db, id, { name: 'Garage', markdown: 'The garage is closed.' });
  await pool.query(
    "UPDATE chunks SET embedding = '{1}', embedding_model = 'another' WHERE document_id = $1",
    [document],
  );
  assert.deepEqual([await find('parking', id), await find('dogs')], [[], []]);
  await service.running.close();
  const again = await startService(env);
  const { pool: reopened, db: queries } = again.running.database;
  for (;;) {
    const { rows } = await reopened.query(
      "SELECT 1 FROM chunks WHERE embedding_model IS DISTINCT FROM 'meanings'",
    );
    if (rows.length === 0) break;
    await turn();
  }
  const headings = async (question: string, knowledgebase: number) =>
    (await findPassages(queries, knowledgebase, question, 5, embedder)).map(({ heading }) => heading);
  assert.deepEqual(await headings('parking', id), ['Garage']);
  assert.deepEqual(await headings('dogs', base), ['Animals']);
});
