import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { deflateSync } from 'node:zlib';
import { extract } from '../../src/service/knowledge/extract/extract.ts';
import type { ExtractionTask } from '../../src/service/knowledge/extract/extract.ts';
import { ExtractionThread } from '../../src/service/knowledge/extract/extraction-thread.ts';
import { docxParagraph, makeDocx, makePdf, processed } from '../support/documents.ts';
import { Owner } from '../support/owner.ts';
import { startServiceProcess } from '../support/service-process.ts';
import { newDatabase, startService, testDatabase } from '../support/service.ts';
import { startWebsite } from '../support/website.ts';

const site = await startWebsite();
const { origin, pages, asked } = site;

const env = {
  ...(await newDatabase()),
  ALLOW_PRIVATE_ADDRESSES: site.host,
  DATABASE_POOL_SIZE: '5',
};
const service = await startService({ ...env, WORKERS: 'on' });
const { pool } = service.running.database;
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
const addSite = async (fields: Record<string, unknown>, to = base): Promise<number> => {
  const { status, json, text } = await owner.post(`knowledgebases/${to}/documents`, {
    name: 'Site',
    type: 'website',
    ...fields,
  });
  assert.equal(status, 201, text);
  return (json['data'] as { id: number }).id;
};

/** What is known of a document, once it is done. */
async function outcome(
  id: number,
  to = base,
): Promise<{ status: string; failure: string | null; text: string }> {
  const { status } = await processed(owner, to, id);
  const { rows } = await pool.query<{ failure: string | null; text: string; left: boolean }>(
    `SELECT failure, EXISTS (SELECT 1 FROM document_sources WHERE document_id = $1) AS left,
       (SELECT coalesce(string_agg(heading || ': ' || body, E'\\n' ORDER BY position), '') FROM chunks WHERE document_id = $1) AS text
     FROM documents WHERE id = $1`,
    [id],
  );
  const [found] = rows;
  assert.equal(found?.left, false, 'the file is kept although it is done');
  return { status, failure: found.failure, text: found.text };
}
const failed = (failure: string) => ({ status: 'failed', failure, text: '' });
const fails = (task: ExtractionTask, message: string) =>
  assert.rejects(extract(task), { name: 'ExtractionError', message });
const pdf = (...input: Parameters<typeof makePdf>) => new Blob([makePdf(...input)]);
const docx = (...input: Parameters<typeof makeDocx>) => new Blob([makeDocx(...input)]);

describe('a file', () => {
  test('of the type pdf is read, page by page', async () => {
    const id = await add({
      type: 'pdf',
      file: pdf(['Opening hours\nWe open at nine.', 'The bell rings twice.']),
    });
    const { status, text } = await outcome(id);
    assert.equal(status, 'active');
    assert.match(text, /^D: Opening hours\nWe open at nine\.\n+The bell rings twice\.$/);
  });

  test('of the type pdf without text, with a password, or that is none, fails and says why', async () => {
    const encrypted =
      '/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <' +
      '1'.repeat(64) +
      '> /U <' +
      '2'.repeat(64) +
      '> >> /ID [<00><00>]';
    await fails(
      { type: 'pdf', bytes: makePdf(['Secret'], { trailer: encrypted }) },
      'The PDF is protected by a password.',
    );
    await fails(
      { type: 'pdf', bytes: Buffer.from('%PDF-1.4 and no more') },
      'The file is not a readable PDF.',
    );
    assert.deepEqual(
      await outcome(await add({ type: 'pdf', file: pdf(['']) })),
      failed('The PDF has no text. If its pages are pictures, have them recognized as text first.'),
    );
  });

  test('of the type docx is read with its headings', async () => {
    const body =
      docxParagraph('Returns', 'Heading1') +
      docxParagraph('Within 30 days.') +
      docxParagraph('Delivery', 'Heading1') +
      docxParagraph('Two days.');
    const { status, text } = await outcome(await add({ type: 'docx', file: docx(body) }));
    assert.deepEqual([status, text], ['active', 'Returns: Within 30 days.\nDelivery: Two days.']);
  });

  test('of the type docx that is none, is empty or unpacks without end fails and says why', async () => {
    await fails(
      { type: 'docx', bytes: Buffer.from('PK and no more') },
      'The file is not a readable Word document (.docx).',
    );
    await fails({ type: 'docx', bytes: makeDocx('') }, 'The document has no text.');
    const bomb = makeDocx('', { 'word/bomb.xml': Buffer.alloc(65 * 1024 * 1024) });
    await fails({ type: 'docx', bytes: bomb }, 'The file unpacks to more than a document can have.');
  });

  test('that takes too much memory or too long to read is given up, and nothing else suffers', async () => {
    const bomb = makePdf(['x'], { stream: deflateSync(deflateSync(Buffer.alloc(150 * 1024 * 1024))) });
    const { signal } = new AbortController();
    await using greedy = new ExtractionThread({ bufferBytes: 60 * 1024 * 1024 });
    await assert.rejects(greedy.run({ type: 'pdf', bytes: bomb }, signal), /more memory to read than it may/);
    await using slow = new ExtractionThread({ taskMs: 1 });
    const html = '<p>Hello</p>';
    await assert.rejects(slow.run({ type: 'page', html, url: origin }, signal), /too long to read/);
    await using crowded = new ExtractionThread({ heapMb: 24 });
    const many = { type: 'page', html: '<b><i>'.repeat(400_000), url: origin } as const;
    await assert.rejects(crowded.run(many, signal), { name: 'ExtractionError' });
    // The next task gets a thread of its own.
    assert.deepEqual(await crowded.run({ type: 'page', html, url: origin }, signal), {
      markdown: 'Hello',
      links: [],
    });
  });
});

describe('a website', () => {
  const link = (path: string) => `<a href="${path}">${path}</a>`;

  test('is read from its address on, with the pages that it links to on the same origin, up to the limit', async () => {
    pages.set(
      '/shop/',
      `<title>Shop</title><nav>${link('a')}${link('b#x')}${link('b')}${link('/c')}${link('http://127.0.0.1:1/')}</nav><p>Start</p>`,
    );
    pages.set('/shop/a', '<title>A</title><p>Alpha</p>');
    pages.set('/shop/b', {
      type: 'text/html; charset=iso-8859-1',
      body: Buffer.from('<title>B</title><p>B\xe4r</p>', 'latin1'),
    });
    pages.set('/c', '<title>C</title><p>Gamma</p>');
    const { status, text } = await outcome(
      await addSite({ url: `${origin}/shop/`, relative_links_limit: 2 }),
    );
    assert.deepEqual([status, text], ['active', 'Shop: Start\nA: Alpha\nB: Bär']);
    assert.equal((await outcome(await addSite({ url: `${origin}/shop/` }))).text.includes('C: Gamma'), true);
  });

  test('may be named by several links', async () => {
    const links = [{ link: `${origin}/shop/a` }, { link: `${origin}/c#end` }];
    const { text } = await outcome(await addSite({ links, relative_links_limit: 1 }));
    assert.equal(text, 'A: Alpha\nC: Gamma');
  });

  test('says in its robots.txt what is not read', async () => {
    pages.set('/robots.txt', { type: 'text/plain', body: 'User-agent: *\nDisallow: /private' });
    pages.set('/open', `<title>Open</title><p>Open</p>${link('/private/x')}${link('/c')}`);
    const { text } = await outcome(await addSite({ url: `${origin}/open` }));
    assert.deepEqual([text.includes('Gamma'), asked.includes('/private/x')], [true, false]);
    assert.deepEqual(
      await outcome(await addSite({ url: `${origin}/private/x` })),
      failed('The robots.txt of the website does not allow its pages to be read.'),
    );
    pages.delete('/robots.txt');
  });

  test('that has no such page, or stands in a private network, fails and says why', async () => {
    assert.deepEqual(
      await outcome(await addSite({ url: `${origin}/none` })),
      failed('The website has no such page.'),
    );
    pages.set('/away', { status: 302, location: 'http://169.254.169.254/latest' });
    assert.deepEqual(
      await outcome(await addSite({ url: `${origin}/away` })),
      failed('The address belongs to a private network, where requests do not go.'),
    );
  });

  test('keeps its knowledge base processing until it is done; deleted meanwhile it leaves nothing', async () => {
    const { id: other } = await owner.create('knowledgebases', { name: 'Slow' });
    const statusOf = async () =>
      ((await owner.get(`knowledgebases/${other}`)).json['data'] as { status: string }).status;
    const opened = Promise.withResolvers<undefined>();
    site.gate = opened.promise;
    pages.set('/slow', '<p>Slow and steady</p>');
    const slow = await addSite({ url: `${origin}/slow` }, other);
    assert.equal(await statusOf(), 'processing');
    const before = asked.length;
    while (!asked.slice(0, before + 100).includes('/slow')) await owner.get('knowledgebases');
    assert.equal((await owner.delete(`knowledgebases/${other}/documents/${slow}`)).status, 200);
    assert.equal(await statusOf(), 'empty');
    opened.resolve(undefined);
    site.gate = undefined;
    const next = await addSite({ url: `${origin}/slow` }, other);
    assert.equal((await outcome(next, other)).status, 'active');
    assert.equal(await statusOf(), 'active');
    const { rows } = await pool.query('SELECT DISTINCT document_id FROM chunks WHERE knowledgebase_id = $1', [
      other,
    ]);
    assert.deepEqual(rows, [{ document_id: next }]);
  });
});

test(
  'a document whose process is killed is read by another one',
  { skip: testDatabase === 'pglite' && 'an embedded database belongs to one process' },
  async () => {
    const there = await newDatabase();
    const doomed = await startServiceProcess({ ...env, ...there });
    const here = await startService({ ...env, ...there });
    const elsewhere = await Owner.create(here);
    const { id } = await elsewhere.create('knowledgebases', { name: 'K' });
    site.gate = new Promise(() => undefined);
    asked.length = 0;
    const { json } = await elsewhere.post(`knowledgebases/${id}/documents`, {
      name: 'S',
      type: 'website',
      url: `${origin}/slow`,
    });
    while (!asked.includes('/slow')) await elsewhere.get('knowledgebases');
    doomed.signal('SIGKILL');
    site.gate = undefined;
    // Half a minute without a sign of life, and no wait before the next try.
    await here.running.database.pool.query(
      "UPDATE jobs.job SET heartbeat_on = now() - interval '31 s', retry_delay = 0; UPDATE jobs.queue SET monitor_claim_on = NULL, monitor_on = NULL",
    );
    await startService({ ...env, ...there, WORKERS: 'on', JOB_POLL_SECONDS: '0.1' });
    const { status } = await processed(elsewhere, id, (json['data'] as { id: number }).id);
    assert.equal(status, 'active');
  },
);
