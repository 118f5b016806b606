import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { describe, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { deflateSync } from 'node:zlib';
import { extract } from '../../../src/service/knowledge/extract/extract.ts';
import { Extractor } from '../../../src/service/knowledge/extract/extractor.ts';
import { docxParagraph, makeDocx, makePdf, outcomeOf, processed } from '../../support/records/documents.ts';
import { Owner } from '../../support/records/owner.ts';
import { startServiceProcess } from '../../support/service/service-process.ts';
import { newDatabase, startService, testDatabase } from '../../support/service/service.ts';
import { startWebsite } from '../../support/servers/website.ts';

const site = await startWebsite();
const { origin, asked } = site;

const env = {
  ...(await newDatabase()),
  ALLOW_PRIVATE_ADDRESSES: site.host,
  DATABASE_POOL_SIZE: '5',
};
const service = await startService({ ...env, WORKERS: 'on' });
const owner = await Owner.create(service, '1');
const base = (await owner.create('knowledgebases', { name: 'All kinds' })).id;

async function add(fields: Record<string, string | Blob>, to = base): Promise<number> {
  const { status, json, text } = await owner.upload(`knowledgebases/${to}/documents`, {
    name: 'D',
    ...fields,
  });
  assert.equal(status, 201, text);
  const data = json['data'] as { id: number; status: string; status_label: string };
  assert.deepEqual([data.status, data.status_label], ['processing', 'Processing']);
  return data.id;
}
const outcome = (id: number, to = base) => outcomeOf(service, owner, to, id);
const failed = (failure: string) => ({ status: 'failed', failure, text: '' });
const fails = (type: 'pdf' | 'docx', bytes: Uint8Array, message: string) =>
  assert.rejects(extract({ type, name: 'D', bytes }), { name: 'ExtractionError', message });
const pdf = (...input: Parameters<typeof makePdf>) => new Blob([makePdf(...input)]);
const docx = (...input: Parameters<typeof makeDocx>) => new Blob([makeDocx(...input)]);

describe('a file', () => {
  test('of type pdf is read page by page', async () => {
    const id = await add({
      type: 'pdf',
      file: pdf(['Opening hours\nWe open at nine.', 'The bell rings twice.']),
    });
    const { status, text } = await outcome(id);
    assert.equal(status, 'active');
    assert.match(text, /^D: Opening hours\nWe open at nine\.\n+The bell rings twice\.$/);
  });

  test('of type pdf fails with a reason if it has no text, has a password or is invalid', async () => {
    const encrypted =
      '/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <' +
      '1'.repeat(64) +
      '> /U <' +
      '2'.repeat(64) +
      '> >> /ID [<00><00>]';
    await fails('pdf', makePdf(['Secret'], { trailer: encrypted }), 'The PDF is protected by a password.');
    await fails('pdf', Buffer.from('%PDF-1.4 and no more'), 'The file is not a readable PDF.');
    assert.deepEqual(
      await outcome(await add({ type: 'pdf', file: pdf(['']) })),
      failed('The PDF has no text. If its pages are images, run text recognition (OCR) on it first.'),
    );
  });

  test('of type docx is read with its headings', async () => {
    const body =
      docxParagraph('Returns', 'Heading1') +
      docxParagraph('Within 30 days.') +
      docxParagraph('Delivery', 'Heading1') +
      docxParagraph('Two days.');
    const { status, text } = await outcome(await add({ type: 'docx', file: docx(body) }));
    assert.deepEqual([status, text], ['active', 'Returns: Within 30 days.\nDelivery: Two days.']);
  });

  test('of type docx fails with a reason if it is invalid, empty or a zip bomb', async () => {
    await fails('docx', Buffer.from('PK and no more'), 'The file is not a readable Word document (.docx).');
    await fails('docx', makeDocx(''), 'The document has no text.');
    const bomb = makeDocx('', { 'word/bomb.xml': Buffer.alloc(165 * 1024 * 1024) });
    await fails('docx', bomb, 'The file unpacks to more than a document can have.');
  });

  test('fails if it takes too much memory or time, and the next one is read', async () => {
    const { signal } = new AbortController();
    const read = (extractor: Extractor, type: 'pdf' | 'txt', bytes: Uint8Array) =>
      extractor.extract({ type, name: 'D', bytes }, signal);
    const bomb = makePdf(['x'], { stream: deflateSync(deflateSync(Buffer.alloc(450 * 1024 * 1024))) });
    const large = Buffer.from('# a\n\nb\n\n'.repeat(1_000_000));
    for (const limited of [new Extractor({ memoryMb: 200 }), new Extractor({ heapMb: 100 })]) {
      await assert.rejects(read(limited, 'pdf', bomb), {
        name: 'ExtractionError',
        message: 'The document takes more memory to read than it may.',
      });
    }
    const small = new Extractor({ heapMb: 60 });
    await assert.rejects(read(small, 'txt', large), /more memory to read than it may/);
    assert.deepEqual((await read(small, 'txt', Buffer.from('Hello'))).chunks, [
      { heading: 'D', body: 'Hello' },
    ]);
    await assert.rejects(read(new Extractor({ processorMs: 1 }), 'txt', large), /too long to read/);
  });

  /** Starts to read a file in a new process. */
  const startReading = (limits?: ConstructorParameters<typeof Extractor>[0]) => {
    const started: ChildProcess[] = [];
    const add = (message: unknown) => started.push((message as { process: ChildProcess }).process);
    subscribe('child_process', add);
    const extractor = new Extractor(limits);
    const read = () =>
      extractor.extract(
        { type: 'txt', name: 'D', bytes: Buffer.from('Hello') },
        new AbortController().signal,
      );
    const first = read();
    unsubscribe('child_process', add);
    return { first, read, child: started[0] ?? assert.fail('no process was started') };
  };

  test('is read although its process has to wait longer for the processor than it may use it', async () => {
    const processorMs = 3000;
    const { first, child } = startReading({ processorMs });
    child.kill('SIGSTOP');
    await delay(processorMs + 100);
    child.kill('SIGCONT');
    assert.deepEqual((await first).chunks, [{ heading: 'D', body: 'Hello' }]);
  });

  test('is read to its end although its process receives the signals that end the service', async () => {
    const { first, read, child } = startReading();
    await first;
    const second = read();
    child.kill('SIGINT');
    child.kill('SIGTERM');
    assert.deepEqual((await second).chunks, [{ heading: 'D', body: 'Hello' }]);
    assert.equal(child.signalCode, null);
  });

  test('is not to blame if such a signal ends its process before it can ignore it', async () => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const { first, child } = startReading();
      child.kill(signal);
      await assert.rejects(first, {
        name: 'Error',
        message: `A process that reads documents received ${signal}.`,
      });
    }
  });

  test('waits while the maximum number of files is being read', async () => {
    const one = new Extractor({ processes: 1 });
    const { signal } = new AbortController();
    const order: string[] = [];
    const read = async (name: string, text: string) => {
      await one.extract({ type: 'txt', name, bytes: Buffer.from(text) }, signal);
      order.push(name);
    };
    await Promise.all([read('long', 'a\n\n'.repeat(300_000)), read('short', 'b')]);
    assert.deepEqual(order, ['long', 'short']);
  });

  test('is abandoned when its job is aborted, also while it waits', async () => {
    const one = new Extractor({ processes: 1 });
    const stop = new AbortController();
    const read = () => one.extract({ type: 'txt', name: 'D', bytes: Buffer.from('a') }, stop.signal);
    const both = Promise.allSettled([read(), read()]);
    stop.abort(new Error('stopped'));
    assert.deepEqual(
      (await both).map((outcome) => outcome.status === 'rejected' && (outcome.reason as Error).message),
      ['stopped', 'stopped'],
    );
  });
});

test(
  'reads the document of a killed process in another process',
  { skip: testDatabase === 'pglite' && 'an embedded database belongs to one process' },
  async () => {
    const there = await newDatabase();
    const killed = await startServiceProcess({ ...env, ...there });
    const here = await startService({ ...env, ...there });
    const otherOwner = await Owner.create(here);
    const { id } = await otherOwner.create('knowledgebases', { name: 'K' });
    site.pages.set('/slow', '<p>Slow and steady</p>');
    site.gate = new Promise(() => undefined);
    asked.length = 0;
    const { json } = await otherOwner.post(`knowledgebases/${id}/documents`, {
      name: 'S',
      type: 'website',
      url: `${origin}/slow`,
    });
    while (!asked.includes('/slow')) await otherOwner.get('knowledgebases');
    killed.signal('SIGKILL');
    site.gate = undefined;
    // Simulates half a minute without a heartbeat, and no delay before the next attempt.
    await here.running.database.pool.query(
      "UPDATE jobs.job SET heartbeat_on = now() - interval '31 s', retry_delay = 0; UPDATE jobs.queue SET monitor_claim_on = NULL, monitor_on = NULL",
    );
    await startService({ ...env, ...there, WORKERS: 'on', JOB_POLL_SECONDS: '0.5' });
    const { status } = await processed(otherOwner, id, (json['data'] as { id: number }).id);
    assert.equal(status, 'active');
  },
);
