import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { assistantBody, readAssistant } from '../support/records/assistant-body.ts';
import { Owner } from '../support/records/owner.ts';
import { startWebsite } from '../support/servers/website.ts';
import { startPostgres } from '../support/service/postgres.ts';
import { ServiceClient } from '../support/service/service-client.ts';
import { startServiceProcess } from '../support/service/service-process.ts';
import { atEnd, startService } from '../support/service/service.ts';
import { reportFigures } from './figures.ts';
import { hostileDocuments } from './hostile-files.ts';

/** Concurrent conversations. */
const visitors = 20;
/** Pause of a visitor after each answer, in milliseconds. */
const thinkingTime = 1000;
/** Messages of each visitor before the documents are uploaded, without the first one. */
const quietMessages = 10;
/** Longest wait for a document, in milliseconds. */
const maximumTime = 300_000;

const percentile95 = (values: number[]) =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? NaN;

test('40 hostile documents are read or refused, and 20 conversations take at most twice as long', async (t) => {
  const postgres = await startPostgres();
  atEnd(() => postgres.stop());
  const sites = new Map<string, Awaited<ReturnType<typeof startWebsite>>>();
  for (const [name, { type }] of Object.entries(hostileDocuments))
    if (type === 'website') sites.set(name, await startWebsite());
  const env = {
    DATABASE_URL: postgres.url('postgres'),
    ALLOW_PRIVATE_ADDRESSES: [...sites.values()].map(({ host }) => host).join(','),
    JOB_POLL_SECONDS: '0.5',
  };
  const setup = await startService({ ...env, DATA_DIR: 'unused' });
  const service = await startServiceProcess(env);
  const client = Object.assign(new ServiceClient(service.url), { running: setup.running });
  const chatOwner = (await Owner.create(setup, '1000')).at(client);
  const { id: assistantId } = await chatOwner.create(
    'assistant',
    assistantBody({ max_visitor_messages_per_day: 1_000_000, max_messages_per_day: 1_000_000 }),
  );
  const assistant = String((await readAssistant(chatOwner, assistantId))['uuid']);
  const documentOwner = (await Owner.create(setup, '1')).at(client);
  const { id: base } = await documentOwner.create('knowledgebases', { name: 'Hostile' });

  const quiet: number[] = [];
  const busy: number[] = [];
  const failures: string[] = [];
  let times: number[] = [];
  let isOver = false;
  const chat = async (visitor: number) => {
    const open = () => service.open(assistant);
    let conversation = await open();
    await delay((visitor * thinkingTime) / visitors);
    for (let message = 0; !isOver; message++) {
      // A conversation may have 200 messages.
      if (message % 150 === 149) conversation = await open();
      const started = performance.now();
      const { status, text } = await service.send(conversation, `Question ${message}`);
      // The first messages are slower: code is compiled, connections are opened.
      if (message > 0) times.push(performance.now() - started);
      if (status !== 200) failures.push(`${status} ${text}`);
      await delay(thinkingTime);
    }
  };
  // Made first: making them keeps this process busy.
  const made = Object.entries(hostileDocuments).map(([name, document]) => {
    const url = `${sites.get(name)?.origin ?? ''}/`;
    if (document.type !== 'website') return { name, type: document.type, file: new Blob([document.make()]) };
    for (const [path, page] of Object.entries(document.pages())) sites.get(name)?.pages.set(path, page);
    return { name, type: document.type, url };
  });
  assert.equal(made.length, 40);

  times = quiet;
  const chats = Promise.all(Array.from({ length: visitors }, (_, visitor) => chat(visitor)));
  while (quiet.length < visitors * quietMessages) await Promise.race([delay(50), chats]);
  times = busy;
  const documents: { id: number; name: string }[] = [];
  const outcomes = new Map<string, { status: string; failure: string | null }>();
  for (const { name, ...fields } of made) {
    const body = { ...fields, name: 'D' };
    const answer =
      'file' in body
        ? await documentOwner.upload(`knowledgebases/${base}/documents`, body)
        : await documentOwner.post(`knowledgebases/${base}/documents`, body);
    const { data, message } = answer.json as { data?: { id: number }; message?: string };
    if (data) documents.push({ name, id: data.id });
    else outcomes.set(name, { status: 'failed', failure: message ?? null });
  }
  const deadline = performance.now() + maximumTime;
  while (outcomes.size < made.length) {
    assert.ok(performance.now() < deadline, `only ${[...outcomes.keys()].join(', ')} were read`);
    const { rows } = await setup.running.database.pool.query<{
      id: number;
      status: string;
      failure: string | null;
    }>("SELECT id, status, failure FROM documents WHERE status <> 'processing'");
    for (const { id, status, failure } of rows) {
      const document = documents.find((each) => each.id === id);
      if (document) outcomes.set(document.name, { status, failure });
    }
    await delay(100);
  }
  isOver = true;
  await chats;

  for (const [name, { status, failure }] of outcomes) t.diagnostic(`${name}: ${failure ?? status}`);
  const isExplained = ({ status, failure }: { status: string; failure: string | null }) =>
    status === 'active' ? failure === null : status === 'failed' && failure !== null && failure !== '';
  const ratio = percentile95(busy) / percentile95(quiet);
  const count = (status: string) => [...outcomes.values()].filter((each) => each.status === status).length;
  reportFigures('Hostile documents', {
    Documents: outcomes.size,
    'Documents read': count('active'),
    'Documents refused with a reason': count('failed'),
    'Answers meanwhile': busy.length,
    'Answers that failed': failures.length,
    '95th percentile of their times, relative to the quiet ones': ratio.toFixed(2),
  });
  assert.deepEqual(
    [...outcomes].filter(([, outcome]) => !isExplained(outcome)),
    [],
  );
  assert.deepEqual(failures, []);
  assert.equal((await service.get('/readyz')).status, 200);
  assert.ok(ratio <= 2, `the 95th percentile was ${ratio.toFixed(2)} times as long`);
});
