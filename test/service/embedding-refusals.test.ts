import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Jobs } from '../../src/service/jobs/jobs.ts';
import { embedChunks } from '../../src/service/knowledge/embed-chunks.ts';
import { Embedder } from '../../src/service/knowledge/embedder.ts';
import { findPassages } from '../../src/service/knowledge/find-passages.ts';
import { importDocument } from '../../src/service/knowledge/import-document.ts';
import { createLog } from '../../src/service/log.ts';
import { Owner } from '../support/records/owner.ts';
import { startEmbeddingServer } from '../support/servers/embedding-server.ts';
import { newDatabase, startService } from '../support/service/service.ts';

const strict = await startEmbeddingServer([['dogs', 'hounds']]);
const strictEmbedder = () =>
  new Embedder({ baseUrl: strict.url, apiKey: undefined, model: 'meanings' }, createLog('silent'));
afterEach(() => {
  Object.assign(strict, { status: undefined, batchLimit: Infinity, refused: undefined });
  Object.assign(strict, { lengthLimit: Infinity, zero: undefined });
});

test('an endpoint that refuses a request gets fewer texts at once from then on', async () => {
  strict.batchLimit = 10;
  const small = strictEmbedder();
  const texts = Array.from({ length: 40 }, (_, index) => (index === 30 ? 'dogs' : `text ${index}`));
  const vectors = await small.embed(texts);
  assert.equal(
    vectors.findIndex((vector) => (vector?.[0] ?? 0) > 0.9),
    30,
  );
  assert.equal(vectors.length, 40);
  const before = strict.requests.length;
  await small.embed(texts);
  const sizes = strict.requests.slice(before).map(({ length }) => length);
  assert.ok(Math.min(...sizes) >= 5 && Math.max(...sizes) <= 10, String(sizes));
});

test('an endpoint that refuses every text gets few requests', async () => {
  strict.status = 400;
  const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
  const before = strict.requests.length;
  await assert.rejects(strictEmbedder().embed(texts), { name: 'EmbeddingError' });
  assert.ok(strict.requests.length - before < 10, String(strict.requests.length - before));
});

test('texts that the endpoint refuses do not hold up others, even if they are a whole batch', async () => {
  strict.refused = 'Poison';
  const texts = [...Array.from({ length: 70 }, (_, index) => `Poison ${index}`), 'dogs'];
  const vectors = await strictEmbedder().embed(texts.slice(0, 64));
  assert.deepEqual([...new Set(vectors)], [undefined]);
  const longer = await strictEmbedder().embed(texts);
  assert.deepEqual(
    longer.flatMap((vector, index) => (vector ? [index] : [])),
    [70],
  );
});

const hasVector = (vectors: (number[] | undefined)[]) => vectors.map((vector) => vector !== undefined);

test('a text that is too long for llama.cpp, which answers with 500, does not hold up others', async () => {
  strict.lengthLimit = 100;
  const vectors = await strictEmbedder().embed(['dogs', 'x'.repeat(101), 'hounds']);
  assert.deepEqual(hasVector(vectors), [true, false, true]);
});

test('a text whose vector is zero does not hold up others', async () => {
  strict.zero = 'Void';
  const vectors = await strictEmbedder().embed(['dogs', 'Void', 'hounds']);
  assert.deepEqual(hasVector(vectors), [true, false, true]);
});

test('an endpoint whose vectors are all zero, or that fails, embeds no text', async () => {
  strict.zero = '';
  await assert.rejects(strictEmbedder().embed(['dogs', 'hounds']), { name: 'EmbeddingError' });
  strict.status = 500;
  await assert.rejects(strictEmbedder().embed(['dogs', 'hounds']), { name: 'EmbeddingError' });
});

test('embeds the other texts if the endpoint refuses one, which is not sent again', async () => {
  const service = await startService({ ...(await newDatabase()), WORKERS: 'off' });
  const { running } = service;
  const { db: queries } = running.database;
  const owner = await Owner.create(service, '1');
  const { id } = await owner.create('knowledgebases', { name: 'Kennel' });
  for (const body of ['Poison.', 'The dogs sleep.', 'They wake up.'])
    await importDocument(queries, id, { name: body, markdown: body });
  const jobs: Jobs = { send: () => Promise.resolve() };
  const dependencies = { database: running.database, jobs, embedder: strictEmbedder() };
  const { signal } = new AbortController();
  const withoutVector = async () => {
    const { rows } = await running.database.pool.query<{ body: string }>(
      'SELECT body FROM chunks WHERE embedding IS NULL ORDER BY id',
    );
    return rows.map(({ body }) => body);
  };
  strict.status = 400;
  await assert.rejects(embedChunks(dependencies, signal), { name: 'EmbeddingError' });
  strict.status = undefined;
  assert.equal((await withoutVector()).length, 3);

  strict.refused = 'Poison';
  await embedChunks(dependencies, signal);
  assert.deepEqual(await withoutVector(), ['Poison.']);
  const found = await findPassages(queries, id, 'hounds', 5, dependencies.embedder);
  assert.deepEqual(
    found.map(({ body }) => body),
    ['The dogs sleep.'],
  );
  const before = strict.requests.length;
  await embedChunks(dependencies, signal);
  assert.equal(strict.requests.length, before);
});
