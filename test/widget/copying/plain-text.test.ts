import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainText } from '../../../src/widget/panel/copying/plain-text.ts';
import { answerBlocks } from '../../../src/widget/panel/markdown/answer-blocks.ts';

function plain(markdown: string): string {
  const answer = answerBlocks('', markdown, false);
  assert.ok(answer);
  return plainText(answer.blocks);
}

describe('an answer as plain text', () => {
  it('has no syntax of emphasis, headings, code or quotes', () => {
    assert.equal(
      plain('## Hours\n\nWe **open** at *nine*, ~~ten~~ `9:00`.\nSee you &amp; bye\\*\n\n> As they say'),
      'Hours\n\nWe open at nine, ten 9:00.\nSee you & bye*\n\n  As they say',
    );
  });

  it('has lists with hyphens, numbers and boxes, nested ones indented', () => {
    assert.equal(
      plain('* Tea\n* Coffee\n  1. black\n  2. white\n     - oat\n* Water'),
      '- Tea\n- Coffee\n  1. black\n  2. white\n     - oat\n- Water',
    );
    assert.equal(plain('9. nine\n10. ten\n    more'), '9. nine\n10. ten\n    more');
    assert.equal(plain('0. zero\n1. one'), '0. zero\n1. one');
    assert.equal(plain('- [x] paid\n- [ ] sent'), '☑ paid\n☐ sent');
    assert.equal(plain('- one\n\n  and more\n\n- two'), '- one\n\n  and more\n\n- two');
  });

  it('keeps code unchanged', () => {
    const code = 'if (a ** b) {\n\n    return "# no heading";\n}';
    assert.equal(plain(`Do:\n\n\`\`\`js\n${code}\n\`\`\`\n\nDone.`), `Do:\n\n${code}\n\nDone.`);
  });

  it('has tables with a tab between cells, and a line for each row', () => {
    assert.equal(
      plain('| Size | **Price** |\n|--|--:|\n| S | `1` \\| 2 |\n| L |  |'),
      'Size\tPrice\nS\t1 | 2\nL\t',
    );
  });

  it('adds the address of a link unless its text is the address', () => {
    for (const [markdown, text] of [
      ['[our shop](https://example.com/a?b=1&c=2)', 'our shop (https://example.com/a?b=1&c=2)'],
      ['https://example.com/ä', 'https://example.com/ä'],
      ['www.example.com', 'www.example.com'],
      ['<https://example.com>', 'https://example.com'],
      ['[example.com](https://example.com/)', 'example.com'],
      ['[**Write** to us](mailto:a@example.com)', 'Write to us (a@example.com)'],
      ['a@example.com', 'a@example.com'],
      ['[0761 / 55-11](tel:07615511)', '0761 / 55-11'],
      ['[a trap](javascript:alert(1))', 'a trap'],
      ['![A bag](https://example.com/bag.png)', 'A bag (https://example.com/bag.png)'],
      ['[![A bag](https://example.com/bag.png)](https://example.com/bag)', 'A bag (https://example.com/bag)'],
    ] as const)
      assert.equal(plain(markdown), text);
  });

  it('keeps the logical order of right-to-left text', () => {
    assert.equal(
      plain('# שעות\n\n- **ראשון**: `9:00`\n- [האתר](https://example.com/)'),
      'שעות\n\n- ראשון: 9:00\n- האתר (https://example.com/)',
    );
  });

  it('shows markup as text', () => {
    assert.equal(plain('<b>Hi</b>\n\n<div>\nno\n</div>'), '<b>Hi</b>\n\n<div>\nno\n</div>');
  });

  it('leaves out suggested replies', () => {
    assert.equal(plain('When?\n\n- [Today](reply:)\n- [Tomorrow](reply:)\n'), 'When?');
  });
});
