import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { pino } from 'pino';
import { StoredJobs } from '../../src/service/jobs/jobs.ts';
import { Extractor } from '../../src/service/knowledge/extract/extractor.ts';
import { processDocument } from '../../src/service/knowledge/process-document.ts';
import { readRobots } from '../../src/service/knowledge/extract/robots.ts';
import { readWebsite } from '../../src/service/knowledge/website/read-website.ts';
import { AllowedAddresses } from '../../src/service/outgoing/allowed-addresses.ts';
import { createFetchGuarded } from '../../src/service/outgoing/fetch-guarded.ts';
import { outcomeOf } from '../support/records/documents.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, startService } from '../support/service/service.ts';
import { startWebsite } from '../support/servers/website.ts';

const site = await startWebsite();
const { origin, pages, asked, askedAt } = site;

const env = {
  ...(await newDatabase()),
  ALLOW_PRIVATE_ADDRESSES: site.host,
  DATABASE_POOL_SIZE: '5',
};
// Polls, because nothing announces the retries that a test brings forward.
const service = await startService({ ...env, WORKERS: 'on', JOB_POLL_SECONDS: '0.5' });
const fetchGuarded = createFetchGuarded(new AllowedAddresses([site.host]));
const { pool } = service.running.database;
const owner = await Owner.create(service, '1');
const base = (await owner.create('knowledgebases', { name: 'All kinds' })).id;

const addSite = async (fields: Record<string, unknown>, to = base): Promise<number> => {
  const { status, json, text } = await owner.post(`knowledgebases/${to}/documents`, {
    name: 'Site',
    type: 'website',
    ...fields,
  });
  assert.equal(status, 201, text);
  return (json['data'] as { id: number }).id;
};

const outcome = (id: number, to = base) => outcomeOf(service, owner, to, id);
const failed = (failure: string) => ({ status: 'failed', failure, text: '' });

describe('a website', () => {
  const link = (path: string) => `<a href="${path}">${path}</a>`;

  test('is crawled from its address along links of the same origin, up to the limit', async () => {
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

  test('can have several start pages', async () => {
    const links = [{ link: `${origin}/shop/a` }, { link: `${origin}/c#end` }];
    const { text } = await outcome(await addSite({ links, relative_links_limit: 1 }));
    assert.equal(text, 'A: Alpha\nC: Gamma');
  });

  test('is crawled according to its robots.txt', async () => {
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

  test('is crawled past any number of links that its robots.txt forbids, which are not logged', async () => {
    pages.set('/robots.txt', { type: 'text/plain', body: 'User-agent: *\nDisallow: /*add-to-cart=' });
    const forbidden = Array.from({ length: 250 }, (_, index) => link(`/sale?add-to-cart=${index}`));
    pages.set('/sale', `<title>Sale</title><p>Start</p>${forbidden.join('')}${link('/last')}`);
    pages.set('/last', '<title>Last</title><p>Delta</p>');
    const { signal } = new AbortController();
    const source = { name: 'Site', links: [`${origin}/sale`], relativeLinksLimit: 1 };
    const unread: string[] = [];
    const { chunks } = await readWebsite(source, fetchGuarded, new Extractor(), signal, true, (url) =>
      unread.push(url),
    );
    assert.deepEqual([chunks.at(-1)?.body, unread], ['Delta', []]);
    pages.delete('/robots.txt');
  });

  test('is crawled with the pause that its robots.txt requests', async () => {
    for (const path of ['/one', '/two', '/three']) pages.set(path, `<title>Page</title><p>${path}</p>`);
    const extractor = new Extractor();
    const { signal } = new AbortController();
    const links = ['/one', '/two', '/missing', '/three'].map((path) => `${origin}${path}`);
    const source = { name: 'Site', links, relativeLinksLimit: 0 };
    const read = () => readWebsite(source, fetchGuarded, extractor, signal, true);
    // The first use of an extractor takes longer than the pause.
    await read();
    pages.set('/robots.txt', { type: 'text/plain', body: 'User-agent: *\nCrawl-delay: 0.5' });
    await read();
    for (const [page, next] of [
      ['/one', '/two'],
      ['/missing', '/three'],
    ] as const) {
      const gap = (askedAt.get(next) ?? 0) - (askedAt.get(page) ?? 0);
      assert.ok(gap >= 500, `${gap} ms between ${page} and ${next}`);
    }
    const rules = readRobots('User-agent: *\nCrawl-delay: 2', `${origin}/c`, 'shop/1.0');
    assert.deepEqual(rules, { isAllowed: true, pauseMs: 2000 });
    pages.delete('/robots.txt');
  });

  test('is read according to its X-Robots-Tag, but not to the rules for other bots', async () => {
    pages.set('/next', '<title>Next</title><p>Next</p>');
    const extractor = new Extractor();
    const tagged = async (robots: string | string[]) => {
      pages.set('/tagged', { body: `<title>Tagged</title><p>Tagged</p>${link('/next')}`, robots });
      const source = { name: 'Site', links: [`${origin}/tagged`], relativeLinksLimit: 1 };
      const { signal } = new AbortController();
      const { chunks } = await readWebsite(source, fetchGuarded, extractor, signal, true);
      return chunks.map(({ heading }) => heading);
    };
    assert.deepEqual(await tagged('noindex'), ['Next']);
    assert.deepEqual(await tagged('nofollow, max-snippet: 20'), ['Tagged']);
    assert.deepEqual(await tagged('voice-assistant-chat: noindex'), ['Next']);
    assert.deepEqual(await tagged('otherbot: noindex, nofollow'), ['Tagged', 'Next']);
    assert.deepEqual(await tagged('otherbot: nofollow, *: noindex, unavailable_after: 25 Jun 2040'), [
      'Next',
    ]);
    const past = 'unavailable_after: Wed, 03 Sep 2025 13:00:00 GMT, noindex';
    assert.deepEqual(await tagged(past), ['Next']);
    assert.deepEqual(await tagged(['otherbot: nofollow', 'noindex']), ['Next']);
    assert.deepEqual(await tagged(['noindex', 'otherbot: nofollow']), ['Next']);
  });

  test('is crawled without links that redirect to another origin', async () => {
    const other = origin.replace('127.0.0.1', 'localhost');
    pages.set('/partners', `<title>Partners</title><p>Start</p>${link('/out')}${link('/ours')}`);
    pages.set('/ours', '<title>Ours</title><p>Nine euros</p>');
    pages.set('/out', { status: 302, location: `${other}/theirs` });
    pages.set('/theirs', '<title>Theirs</title><p>Ten dollars</p>');
    const { signal } = new AbortController();
    const read = async (path: string) => {
      const source = { name: 'Site', links: [`${origin}${path}`], relativeLinksLimit: 5 };
      const allowed = new AllowedAddresses([site.host, new URL(other).host]);
      const { chunks } = await readWebsite(
        source,
        createFetchGuarded(allowed),
        new Extractor(),
        signal,
        true,
      );
      return chunks.map(({ heading }) => heading);
    };
    assert.deepEqual(await read('/partners'), ['Partners', 'Ours']);
    assert.equal(asked.includes('/theirs'), false);
    assert.deepEqual(await read('/out'), ['Theirs']);
  });

  test('has a page once that has several addresses', async () => {
    pages.set('/list', `<title>List</title><p>Start</p>${link('/item?a')}${link('/item?b')}`);
    for (const path of ['/item?a', '/item?b']) pages.set(path, '<title>Item</title><p>Only once</p>');
    const { text } = await outcome(await addSite({ url: `${origin}/list` }));
    assert.equal(text.match(/Only once/g)?.length, 1);
  });

  test('is complete if a start page redirects to a page read before, although another page is down', async () => {
    pages.set('/first', `<title>First</title><p>First</p>${link('/down')}`);
    pages.set('/down', { status: 503 });
    pages.set('/alias', { status: 302, location: '/first' });
    const source = { name: 'Site', links: [`${origin}/first`, `${origin}/alias`], relativeLinksLimit: 1 };
    const { signal } = new AbortController();
    const { chunks } = await readWebsite(source, fetchGuarded, new Extractor(), signal, false);
    assert.deepEqual(
      chunks.map(({ heading }) => heading),
      ['First'],
    );
  });

  test('is read without its missing pages, which are logged by their host', async () => {
    const lines: string[] = [];
    const log = pino({ base: null }, { write: (line) => lines.push(line) });
    const { database } = service.running;
    const jobs = new StoredJobs(database);
    pages.set('/fine', '<title>Fine</title><p>Text</p>');
    pages.set('/token=secret', { status: 403 });
    const links = ['/none', '/fine', '/token=secret'].map((path) => `${origin}${path}`);
    const { rows } = await pool.query<{ id: number }>(
      "INSERT INTO documents (knowledgebase_id, name, type) VALUES ($1, 'Site', 'website') RETURNING id",
      [base],
    );
    const id = rows[0]?.id ?? assert.fail();
    await pool.query(
      'INSERT INTO document_sources (document_id, links, relative_links_limit) VALUES ($1, $2, 0)',
      [id, links],
    );
    const dependencies = { database, jobs, fetch: fetchGuarded, extractor: new Extractor(), log };
    await processDocument(dependencies, id, new AbortController().signal, true);
    assert.equal((await outcome(id)).text, 'Fine: Text');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { failure: string }).failure),
      ['The website has no such page.', 'The website answered with the status 403.'],
    );
    assert.ok(lines.every((line) => line.includes(site.host) && !line.includes('secret')));
  });

  test('is read through a redirect to an address with unescaped characters', async () => {
    pages.set('/moved', { status: 301, location: Buffer.from('/größe–قميص').toString('latin1') });
    pages.set(`/${encodeURIComponent('größe–قميص')}`, '<title>Sizes</title><p>From S to XL</p>');
    assert.equal((await outcome(await addSite({ url: `${origin}/moved` }))).text, 'Sizes: From S to XL');
  });

  test('is not crawled through redirects that its robots.txt forbids', async () => {
    pages.set('/robots.txt', { type: 'text/plain', body: 'User-agent: *\nDisallow: /secret' });
    pages.set('/door', { status: 302, location: '/hall' });
    pages.set('/hall', { status: 301, location: '/secret' });
    pages.set('/secret', { status: 302, location: '/c' });
    assert.deepEqual(
      await outcome(await addSite({ url: `${origin}/door` })),
      failed('The robots.txt of the website does not allow its pages to be read.'),
    );
    assert.deepEqual([asked.includes('/hall'), asked.includes('/secret')], [true, false]);
    pages.delete('/robots.txt');
    assert.equal((await outcome(await addSite({ url: `${origin}/door` }))).text, 'C: Gamma');
  });

  test('has the name that it got while it was read', async () => {
    const opened = Promise.withResolvers<undefined>();
    site.gate = opened.promise;
    pages.set('/slow', '<p>Slow and steady</p>');
    const before = asked.length;
    const id = await addSite({ url: `${origin}/slow` });
    while (!asked.slice(before).includes('/slow')) await owner.get('knowledgebases');
    await owner.put(`knowledgebases/${base}/documents/${id}`, { name: 'Race' });
    opened.resolve(undefined);
    site.gate = undefined;
    assert.equal((await outcome(id)).text, 'Race: Slow and steady');
  });

  test('is retried while it is overloaded or broken, and fails with the last response', async () => {
    const extractor = new Extractor();
    const { signal } = new AbortController();
    const visit = async (links: string[], isLastTry = false) => {
      const source = { name: 'Site', links: links.map((path) => `${origin}${path}`), relativeLinksLimit: 1 };
      return (await readWebsite(source, fetchGuarded, extractor, signal, isLastTry)).chunks;
    };
    const passing = (status: number) => ({
      name: 'OutgoingError',
      code: 'unreachable',
      message: `the website answered with the status ${status}`,
    });
    for (const status of [429, 503]) {
      pages.set('/busy', { status });
      await assert.rejects(visit(['/busy']), passing(status));
      await assert.rejects(visit(['/c', '/busy']), passing(status));
      assert.deepEqual(await visit(['/c', '/busy'], true), [{ heading: 'C', body: 'Gamma' }]);
      pages.set('/robots.txt', { status });
      await assert.rejects(visit(['/c']), passing(status));
      pages.delete('/robots.txt');
    }
    const id = await addSite({ url: `${origin}/busy` });
    for (let tries = 0; tries < 1;) {
      // The retries of the queue would make the test wait.
      const { rows } = await pool.query(
        `UPDATE jobs.job SET start_after = now(), retry_delay = 0 WHERE name = 'process-document'
           AND state <= 'retry' AND retry_count = $1 AND data ->> 'documentId' = $2 RETURNING id`,
        [tries, String(id)],
      );
      tries += rows.length;
      await turn();
    }
    assert.deepEqual(await outcome(id), failed('The website answered with the status 503.'));
    pages.set('/busy', { status: 403 });
    await assert.rejects(visit(['/busy']), {
      name: 'ExtractionError',
      message: 'The website answered with the status 403.',
    });
  });

  test('fails with a reason if the page is missing or in a private network', async () => {
    assert.deepEqual(
      await outcome(await addSite({ url: `${origin}/none` })),
      failed('The website has no such page.'),
    );
    pages.set('/away', { status: 302, location: 'http://169.254.169.254/latest' });
    assert.deepEqual(
      await outcome(await addSite({ url: `${origin}/away` })),
      failed('The address belongs to a private network (ALLOW_PRIVATE_ADDRESSES does not list it).'),
    );
  });

  test('keeps its knowledge base in processing until it is done, and leaves nothing if deleted before', async () => {
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
