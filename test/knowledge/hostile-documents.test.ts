import assert from 'node:assert/strict';
import process from 'node:process';
import { describe, test } from 'node:test';
import { totalLength } from '../../src/service/knowledge/extract/chunk-markdown.ts';
import { extract } from '../../src/service/knowledge/extract/extract.ts';
import type { ExtractionTask } from '../../src/service/knowledge/extract/extract.ts';
import { extractionLimits, Extractor } from '../../src/service/knowledge/extract/extractor.ts';
import { readWebsite } from '../../src/service/knowledge/website/read-website.ts';
import { AllowedAddresses } from '../../src/service/outgoing/allowed-addresses.ts';
import { createFetchGuarded } from '../../src/service/outgoing/fetch-guarded.ts';
import { docxParagraph, makeDocx, makePdf, outcomeOf } from '../support/records/documents.ts';
import { Owner } from '../support/records/owner.ts';
import { newDatabase, startService } from '../support/service/service.ts';
import { startWebsite } from '../support/servers/website.ts';

const site = await startWebsite();
const { origin, pages } = site;
const service = await startService({
  ...(await newDatabase()),
  ALLOW_PRIVATE_ADDRESSES: site.host,
  DATABASE_POOL_SIZE: '5',
  WORKERS: 'on',
});
const owner = await Owner.create(service, '1');
const { id: base } = await owner.create('knowledgebases', { name: 'Hostile' });

/** Answers that the service gives at least while it reads a document. A blocked event loop gives the first two. */
const leastAnswers = 4;

/** Waits for a document and checks that the service still answers meanwhile. */
async function outcomeWhileAnswering(added: Promise<{ json: Record<string, unknown>; text: string }>) {
  const { json, text } = await added;
  const { id } = (json['data'] ?? assert.fail(text)) as { id: number };
  let answers = 0;
  for (let status = 'processing'; status === 'processing'; answers++) {
    const { json: found } = await owner.get(`knowledgebases/${base}/documents/${id}`);
    ({ status } = found['data'] as { status: string });
  }
  assert.ok(answers >= leastAnswers, `only ${answers} answers while the document was read`);
  return outcomeOf(service, owner, base, id);
}

const upload = (type: string, content: string | Uint8Array<ArrayBuffer>) =>
  outcomeWhileAnswering(
    owner.upload(`knowledgebases/${base}/documents`, { name: 'D', type, file: new Blob([content]) }),
  );
const visit = (path: string) =>
  outcomeWhileAnswering(
    owner.post(`knowledgebases/${base}/documents`, { name: 'D', type: 'website', url: `${origin}${path}` }),
  );

describe('the service', () => {
  test('reads a text with a heading of 600,000 spaces', async () => {
    const { status, text } = await upload('txt', `# a${' '.repeat(600_000)}a\n\nIt is open.`);
    assert.equal(status, 'active');
    assert.match(text, /It is open\.$/);
  });

  test('applies a robots.txt of 30,000 agents and 4,000 rules', async () => {
    const agents = Array.from({ length: 30_000 }, (_, n) => `User-agent:${n.toString(36)}`).join('\n');
    const rules = Array.from({ length: 4000 }, (_, n) => `Disallow:/x${n}`).join('\n');
    pages.set('/robots.txt', { type: 'text/plain', body: `${agents}\nUser-agent: *\n${rules}` });
    pages.set('/open', '<title>Open</title><p>All is well.</p>');
    assert.deepEqual(await visit('/open'), { status: 'active', failure: null, text: 'Open: All is well.' });
    pages.set('/x7', '<p>Private</p>');
    assert.equal(
      (await visit('/x7')).failure,
      'The robots.txt of the website does not allow its pages to be read.',
    );
  });

  test('applies a robots.txt of 200,000 wildcards, and does not follow a link of a megabyte', async () => {
    pages.set('/robots.txt', {
      type: 'text/plain',
      body: `User-agent: *\nDisallow: /${'*a'.repeat(200_000)}b`,
    });
    pages.set('/open', `<title>Open</title><p>All is well.</p><a href="/${'a'.repeat(1_000_000)}">a</a>`);
    const { status, text } = await visit('/open');
    assert.equal(status, 'active');
    assert.ok(text.length < 100);
    assert.ok(site.asked.every((path) => path.length < 100));
  });
});

const bytes = (text: string) => new TextEncoder().encode(text);
const page = (html: string): ExtractionTask => ({
  type: 'page',
  name: 'D',
  bytes: bytes(`<html><body>${html}`.slice(0, 5_000_000)),
  contentType: 'text/html',
  robots: '',
  url: origin,
});
const txt = (text: string): ExtractionTask => ({ type: 'txt', name: 'D', bytes: bytes(text) });

const extractor = new Extractor({ processorMs: 4000, heapMb: 250, memoryMb: 400 });
const { signal } = new AbortController();

describe('the extractor', { concurrency: 2 }, () => {
  const file = (type: 'pdf' | 'docx', content: Uint8Array): ExtractionTask => ({
    type,
    name: 'D',
    bytes: content,
  });
  const deepTable = (depth: number) =>
    `${'<w:tbl><w:tr><w:tc>'.repeat(depth)}${docxParagraph('x')}${'</w:tc></w:tr></w:tbl>'.repeat(depth)}`;

  const hostile: Record<string, () => ExtractionTask> = {
    'a text of 1,200,000 paragraphs': () => txt('p\n\n'.repeat(1_200_000)),
    'a text of a million headings': () => txt('# a\n\nb\n\n'.repeat(1_000_000)),
    'a text of nested lists': () =>
      txt(Array.from({ length: 2000 }, (_, depth) => `${' '.repeat(depth * 2)}- x`).join('\n')),
    'a text of nested quotes': () => txt(`${'>'.repeat(200_000)} x`),
    'a text of two million brackets': () => txt('['.repeat(2_000_000)),
    'a text of unclosed fences': () => txt('```\n~~~\n'.repeat(500_000)),
    'a text of a million accents on one letter': () => txt(`a${'\u0301\u0316'.repeat(500_000)}`),
    'a text of a table with a million cells': () =>
      txt(`|a${'|b'.repeat(1_000_000)}|\n|-${'|-'.repeat(1_000_000)}|\n`),
    'a page of 1,200,000 paragraphs': () => page('<p>x'.repeat(1_200_000)),
    'a page with a tag of 600,000 attributes': () =>
      page(`<p ${Array.from({ length: 600_000 }, (_, n) => `a${n}`).join(' ')}>x`),
    'a page of 200,000 nested elements': () => page(`${'<div>'.repeat(200_000)}x`),
    'a page of a million unclosed entities': () => page('&'.repeat(1_000_000)),
    'a page with a cell of a million spaces': () =>
      page(`<table><tr><td>a${' '.repeat(1_000_000)}b</td></tr></table>`),
    'a Word document of 20,000 nested tables': () => file('docx', makeDocx(deepTable(20_000))),
    'a Word document that unpacks to 170 MB': () =>
      file('docx', makeDocx(docxParagraph('x'), { 'word/bomb.xml': Buffer.alloc(170 * 1024 * 1024) })),
    'a PDF with a page of 300,000 lines': () => file('pdf', makePdf(['x\n'.repeat(300_000)])),
  };
  // Made first: making one keeps the event loop busy.
  const tasks = Object.entries(hostile).map(([name, make]) => [name, make()] as const);
  for (const [name, task] of tasks) {
    test(`reads ${name} or says why not, and leaves the event loop idle`, async () => {
      const started = performance.now();
      const before = process.threadCpuUsage();
      const outcome = await extractor.extract(task, signal).then(
        ({ chunks }) => `${chunks.length} chunks`,
        (error: unknown) => error,
      );
      // Processor time, since other suites can keep this process waiting.
      const { user, system } = process.threadCpuUsage(before);
      const busy = (user + system) / 1000 / (performance.now() - started);
      if (outcome instanceof Error) {
        assert.equal(outcome.name, 'ExtractionError');
        assert.match(
          outcome.message,
          /takes (too long|more memory) to read|more than [\d,]+ (sections|attributes)|nested too deeply|unpacks to more/,
        );
      }
      assert.ok(busy < 0.5, `the event loop was busy for ${busy * 100} % of the time`);
    });
  }
});

test('the extractor reads the next document', async () => {
  const next = txt('All is well.');
  // On a busy machine a new process can take longer to start than these documents may.
  let read = await extractor.extract(next, signal).catch(() => undefined);
  read ??= await extractor.extract(next, signal);
  assert.deepEqual(read.chunks, [{ heading: 'D', body: 'All is well.' }]);
});

describe('a website', () => {
  const fetchGuarded = createFetchGuarded(new AllowedAddresses([site.host]));
  const read = (paths: string[]) => {
    const links = paths.map((path) => `${origin}${path}`);
    return readWebsite(
      { name: 'D', links, relativeLinksLimit: 50 },
      fetchGuarded,
      new Extractor(),
      signal,
      true,
    );
  };

  test('is read up to a number of characters, its headings included', async () => {
    pages.clear();
    const section = `# ${'h'.repeat(250)}\n\n${'b'.repeat(900)}\n\n`;
    const paths = ['/one', '/two', '/three', '/four'];
    for (const path of paths) pages.set(path, { type: 'text/plain', body: section.repeat(2700) + path });
    const { chunks } = await read(paths);
    assert.equal(chunks.length, 3 * 2700);
    assert.ok(totalLength(chunks) <= extractionLimits.text);
  });
});

describe('a document', () => {
  test('repeats no more than the beginning of a long heading or title', async () => {
    const long = 'h'.repeat(60_000);
    for (const task of [
      txt(`# ${long}\n\n${'body word '.repeat(100_000)}`),
      page(`<title>${long}</title>${`<p>${'body, word '.repeat(100)}`.repeat(900)}`),
    ]) {
      const { chunks } = await extract(task);
      assert.ok(chunks.length > 800);
      assert.ok(totalLength(chunks) < 1_500_000);
    }
  });

  test('has at most 10,000,000 characters', async () => {
    const paragraph = `${'body word '.repeat(100).trim()}\n\n`;
    assert.ok((await extract(txt(paragraph.repeat(9900)))).chunks.length > 1);
    await assert.rejects(extract(txt(paragraph.repeat(10_000))), {
      name: 'ExtractionError',
      message: 'The document has more than 10,000,000 characters.',
    });
  });

  test('of a page has at most 256 levels and 1,000 attributes per element, since more take too long to read', async () => {
    const levels = (count: number) => page('<div>'.repeat(count) + 'All is well.');
    const attributes = (count: number) =>
      page(`<p ${Array.from({ length: count }, (_, n) => `a${n}`).join(' ')}>All is well.`);
    for (const task of [levels(250), attributes(1000)]) assert.equal((await extract(task)).chunks.length, 1);
    await assert.rejects(extract(levels(260)), {
      name: 'ExtractionError',
      message: 'The document is nested too deeply.',
    });
    await assert.rejects(extract(attributes(1001)), {
      name: 'ExtractionError',
      message: 'The page has an element with more than 1,000 attributes.',
    });
  });

  test('has at most 20,000 sections', async () => {
    const text = '# a\n\nb\n\n'.repeat(20_000);
    assert.equal((await extract(txt(text))).chunks.length, 20_000);
    await assert.rejects(extract(txt(`${text}# a\n\nb`)), {
      name: 'ExtractionError',
      message: 'The document has more than 20,000 sections.',
    });
  });
});

test('reads the next document after a process that could not be started', async () => {
  const single = new Extractor({ processes: 1 });
  const { execPath } = process;
  // Like a lack of memory, a path that is too long makes the start itself fail.
  process.execPath = `/${'x'.repeat(5000)}`;
  try {
    await assert.rejects(single.extract(txt('It is open.'), signal), { code: 'ENAMETOOLONG' });
  } finally {
    process.execPath = execPath;
  }
  const { chunks } = await single.extract(txt('It is open.'), AbortSignal.timeout(60_000));
  assert.equal(chunks.length, 1);
});

test('reads two documents at a time', async () => {
  const standard = new Extractor();
  const task = txt('a\n\n'.repeat(10_000));
  let read = 0;
  const all = [1, 2, 3, 4].map(async () => {
    await standard.extract(task, signal);
    read++;
  });
  let most = 0;
  while (read < all.length) {
    const children = process.getActiveResourcesInfo().filter((resource) => resource === 'ProcessWrap');
    most = Math.max(most, children.length);
    await new Promise(setImmediate);
  }
  assert.equal(most, 2);
});
