import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkMarkdown } from '../../src/service/knowledge/extract/chunk-markdown.ts';

test('creates one chunk per section, named by the path of its headings', () => {
  assert.deepEqual(
    chunkMarkdown(
      'Rules',
      'Intro\n\n# House\n\n## Dogs ##\n\nWelcome.\n\n#### Small\n\nToo.\n\nCats\n====\n\nNo.',
    ),
    [
      { heading: 'Rules', body: 'Intro' },
      { heading: 'House › Dogs', body: 'Welcome.' },
      { heading: 'House › Dogs › Small', body: 'Too.' },
      { heading: 'Cats', body: 'No.' },
    ],
  );
});

test('leaves out headings that repeat the name of the document or the start of the heading before', () => {
  assert.deepEqual(
    chunkMarkdown(
      'Site',
      '# Boots | Shop\n\n## Boots\n\nHi.\n\n### Price\n\n89.\n\n# Site\n\n## Contact\n\nCall.',
    ),
    [
      { heading: 'Boots | Shop', body: 'Hi.' },
      { heading: 'Boots | Shop › Price', body: '89.' },
      { heading: 'Contact', body: 'Call.' },
    ],
  );
});

test('keeps headings that only begin like the heading before', () => {
  assert.deepEqual(
    chunkMarkdown(
      'Shop',
      '# Products\n\nAll.\n\n## Pro\n\n29.\n\n# Shipping & Returns\n\n## Shipping\n\nFree.',
    ),
    [
      { heading: 'Products', body: 'All.' },
      { heading: 'Products › Pro', body: '29.' },
      { heading: 'Shipping & Returns › Shipping', body: 'Free.' },
    ],
  );
});

test('keeps headings without a section as text of the section that contains them', () => {
  assert.deepEqual(
    chunkMarkdown(
      'D',
      '# Shop\n\n## Free delivery\n\n## Returns\n\n## Contact\n\nCall.\n\n### Fax: none\n\n## Imprint',
    ),
    [
      { heading: 'Shop', body: 'Free delivery\n\nReturns' },
      { heading: 'Shop › Contact', body: 'Call.\n\nFax: none' },
      { heading: 'Shop', body: 'Imprint' },
    ],
  );
});

test('keeps the headings of a document that consists of nothing else', () => {
  assert.deepEqual(chunkMarkdown('Prices', '# Tea: 2 euros\n\n## Cake: 3 euros'), [
    { heading: 'Tea: 2 euros', body: 'Cake: 3 euros' },
  ]);
  assert.deepEqual(chunkMarkdown('Open', '# Open'), [{ heading: 'Open', body: 'Open' }]);
});

test('ignores headings in code, whatever its fence contains', () => {
  const code = '~~~\n```\n# not a heading\n~~~';
  assert.deepEqual(
    chunkMarkdown('Code', `${code}\n\n# Heading\n\n    # code\n\n- item\n\n  # not at the top`),
    [
      { heading: 'Code', body: code },
      { heading: 'Heading', body: '    # code\n\n- item\n\n  # not at the top' },
    ],
  );
});

test('splits a long section between its blocks, and a very long block at line breaks or spaces', () => {
  const paragraph = 'word '.repeat(120).trim();
  const bodies = (markdown: string) => chunkMarkdown('T', markdown).map(({ body }) => body);
  assert.deepEqual(bodies([paragraph, paragraph, paragraph].join('\n\n')), [
    `${paragraph}\n\n${paragraph}`,
    paragraph,
  ]);
  const parts = bodies(`${'line of a list '.repeat(3).trim()}\n`.repeat(300));
  assert.ok(parts.length > 5);
  assert.ok(
    parts.every((part) => part.length <= 4800 && part.startsWith('line of a list') && part.endsWith('list')),
  );
  assert.deepEqual(new Set(bodies('x'.repeat(12_000)).map(({ length }) => length > 4800)), new Set([false]));
});

test('cuts a heading of more than 255 characters, and keeps all of it in the text', () => {
  const heading = `All about ${'very '.repeat(100)}large 🏔 mountains`;
  assert.deepEqual(chunkMarkdown('T', `# ${heading}\n\nClimb.`), [
    { heading: heading.slice(0, 255), body: `${heading}\n\nClimb.` },
  ]);
  const pair = chunkMarkdown('T', `# ${'a'.repeat(254)}🏔\n\nClimb.`);
  assert.ok(pair[0]?.heading.isWellFormed());
});

test('cuts a path of headings to the innermost that fit into 255 characters', () => {
  const long = 'x'.repeat(200);
  assert.deepEqual(chunkMarkdown('T', `# ${long}\n\n## Boots\n\n### ${'y'.repeat(200)}\n\nText.`), [
    { heading: `Boots › ${'y'.repeat(200)}`, body: 'Text.' },
  ]);
});
