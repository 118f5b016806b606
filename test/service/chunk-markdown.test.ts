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

test('joins the lines of a wrapped paragraph', () => {
  const first = 'A cleaning takes 45 minutes and costs 80 euros for adults with a private';
  assert.deepEqual(chunkMarkdown('D', `Prices\n${first}\ninsurance, and\nchildren pay nothing.`), [
    { heading: 'D', body: `Prices\n${first} insurance, and\nchildren pay nothing.` },
  ]);
});

test('joins wrapped lines that begin with a capital letter if every line is full', () => {
  const lines = [
    'Der Hof hinter dem Haus hat zwei Parkplätze für Patienten und einen',
    'Stellplatz für Menschen mit Behinderung, die Zufahrt ist neben dem',
    'Eingang. Bitte klingeln Sie.',
  ];
  assert.deepEqual(chunkMarkdown('D', lines.join('\n')), [{ heading: 'D', body: lines.join(' ') }]);
});

test('keeps the rows of a list without marks apart, whichever is the longest', () => {
  for (const rows of [
    'Implant, with crown and abutment, per tooth, without bone graft: 2400 EUR\nFilling: 90 EUR\nCrown: 600 EUR',
    'Filling: 90 EUR\nImplant, with crown and abutment, per tooth, without bone graft: 2400 EUR\nCrown: 600 EUR',
    'Monday to Friday: 8 am to 12 noon and 2 pm to 6 pm (not in August)\nSaturday: 10 am to 4 pm\nSunday: closed',
    'Do you ship to Austria and Switzerland, also parcels over 30 kg? Yes.\nCan I return shoes?',
  ])
    assert.deepEqual(chunkMarkdown('D', rows), [{ heading: 'D', body: rows }]);
});

test('keeps line breaks that Markdown marks, and those of lists, tables, code, columns and short lines', () => {
  const long = 'x'.repeat(30);
  const line = `${long} ${long}`;
  for (const text of [
    `${line}  \n${line}\\\n${line}`,
    `- ${line}\n- ${line}\n  ${line}`,
    `| A | B |\n|---|---|\n| ${long} | ${long} |`,
    `\`\`\`\n${line}\n${line}\n\`\`\``,
    `Cleaning ${'.'.repeat(60)} 80\nFilling ${'.'.repeat(61)} 90`,
    `${line}:\nMonday, 9 to 18\nTuesday, 9 to 16`,
    'Dr. Ada Ly\nMain Street 5\n12345 Town',
  ]) {
    assert.deepEqual(chunkMarkdown('D', text), [{ heading: 'D', body: text }]);
  }
  assert.deepEqual(chunkMarkdown('D', `${line}\n${line}`, true), [
    { heading: 'D', body: `${line}\n${line}` },
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

test('cuts a path of headings to the innermost that fit into 255 characters', () => {
  const long = 'x'.repeat(200);
  assert.deepEqual(chunkMarkdown('T', `# ${long}\n\n## Boots\n\n### ${'y'.repeat(200)}\n\nText.`), [
    { heading: `Boots › ${'y'.repeat(200)}`, body: 'Text.' },
  ]);
});
