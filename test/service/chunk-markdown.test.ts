import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chunkMarkdown } from '../../src/service/knowledge/extract/chunk-markdown.ts';

test('creates one chunk per section, named by its heading, and skips sections without text', () => {
  assert.deepEqual(
    chunkMarkdown('Rules', 'Intro\n\n# House\n\n## Dogs ##\n\nWelcome.\n\nCats\n====\n\nToo.'),
    [
      { heading: 'Rules', body: 'Intro' },
      { heading: 'Dogs', body: 'Welcome.' },
      { heading: 'Cats', body: 'Too.' },
    ],
  );
});

test('keeps the headings of a document that consists of nothing else', () => {
  assert.deepEqual(chunkMarkdown('Prices', '# Tea: 2 euros\n\n## Cake: 3 euros'), [
    { heading: 'Prices', body: 'Tea: 2 euros\n\nCake: 3 euros' },
  ]);
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
