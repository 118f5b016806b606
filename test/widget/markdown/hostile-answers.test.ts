import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../../../src/contract/limits.ts';
import { answerBlocks } from '../../../src/widget/panel/markdown/answer-blocks.ts';

const ordinary = `The **Alpine 40** carries 40 litres. It comes in three sizes:

- *small*, for a back of up to 43 cm
- [medium](https://example.com/sizes), \`M\`

`;

/** Text that parsers of Markdown take long for, when it is repeated. */
const patterns = [
  ...['*.', '_.', '*a_', '**a_', 'a_b', '~a', '***a', '_ _', '*a **b ', 'あ**「', '」**あ', 'あ*(a'],
  ...['[', '![', '[a](', '[a][', '[a]: b "\n', '[![', '[[]', '](', '[a](<b', '[a](b "'],
  ...['`', '`a``', '``a`', '<', '<a ', '<!--', '</', '&', '&#', '\\', '!', '(', '((a'],
  ...['www.', '*www.', 'https://a(', 'https://a。', 'https://a(。', 'a@b.c(*', 'mailto:', '://'],
  ...[
    '> ',
    '>',
    '> a\nb\n',
    '> - ',
    '- ',
    '- a\n',
    '1. ',
    '- a\n\n  b\n\n',
    '- [ ] ',
    '> > > a\n> > b\n> c\n\n',
  ],
  ...[
    'a\n-|-\n',
    'a\n-\n',
    '-\n-',
    '|a|b|\n|-|-|\n|c|\n',
    '|',
    '|-',
    '| a | b |\n',
    '    a\n',
    '```\n',
    '# a\n',
  ],
  ...['- [\\a', '- [[', '\n', ' ', '\t', 'word ', 'x'],
];

/** Lines that continue the item of a list, each of which parsers may take for the beginning of something else. */
const linesOfItem = ['a\n', ' \\\n'];

function repeat(pattern: string, length: number): string {
  return pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length);
}

/** Milliseconds of processor time for an answer that is lexed so many times while it grows, and once when complete. */
function costOf(text: string, drawings: number): number {
  const start = process.cpuUsage();
  const key = crypto.randomUUID();
  for (let drawing = 1; drawing <= drawings; drawing++)
    answerBlocks(key, text.slice(0, Math.ceil((text.length * drawing) / drawings)), true);
  answerBlocks(key, text, false);
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

describe('an answer of 100,000 characters', () => {
  const length = limits.answer.characters;
  const drawings = 10;
  // The first run is slow: its code is not compiled yet.
  costOf(repeat(ordinary, length), drawings);
  const reference = costOf(repeat(ordinary, length), drawings);

  for (const pattern of patterns)
    it(`takes at most 100 times as long as an ordinary one if it repeats ${JSON.stringify(pattern)}`, () => {
      const ratio = costOf(repeat(pattern, length), drawings) / reference;
      assert.ok(ratio < 100, `It takes ${ratio.toFixed(1)} times as long.`);
    });

  for (const line of linesOfItem)
    it(`takes at most 100 times as long if it is an item with the lines ${JSON.stringify(line)}`, () => {
      const ratio = costOf(`- ${repeat(line, length - 2)}`, drawings) / reference;
      assert.ok(ratio < 100, `It takes ${ratio.toFixed(1)} times as long.`);
    });
});
