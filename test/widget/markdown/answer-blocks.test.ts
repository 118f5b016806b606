import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainText } from '../../../src/widget/panel/copying/plain-text.ts';
import { answerBlocks } from '../../../src/widget/panel/markdown/answer-blocks.ts';

describe('a list of suggestions that streams', () => {
  for (const list of [
    '- [Today](reply:)\n- [Tomorrow & later](reply:)',
    '* [To be seen](reply:)\n* [Tomorrow](reply:)\n',
    '1. [Today](reply:)\n2. [Tomorrow](reply:)',
    '1) [Today](reply:)\n2) [Tomorrow](reply:)',
    '- [Today \\[or so\\]](reply:)\n- [To [the] day](reply:)',
    '- [**To**day](reply:)\n- [`Tomorrow`](reply:)',
    '-   [Today](reply:)\n\n-   [Tomorrow](reply:)',
    '- [Today](<reply:>)\n- [Tomorrow](reply: "Soon")',
  ])
    for (const before of ['When?\n\n', 'When?\n', 'One of:\n\n1. a\n2. b\n\nWhen?\n\n', '# When?\n', ''])
      it(`never shows as it grows: ${JSON.stringify(before + list)}`, () => {
        const source = before + list;
        const key = crypto.randomUUID();
        for (let length = before.length; length <= source.length; length++) {
          const answer = answerBlocks(key, source.slice(0, length), true);
          assert.ok(answer);
          const shown = plainText(answer.blocks);
          assert.doesNotMatch(shown, /To|reply|\[|<|^\s*(?:[-*]|1[.)])\s*$/m, source.slice(0, length));
        }
        const whole = answerBlocks(key, source, false);
        assert.equal(whole?.replies.length, 2);
      });

  it('is spoken without Markdown syntax', () => {
    const answer = answerBlocks('', '- [**Yes**, `please` &amp; now](reply:)\n- [No \\*](reply:)', false);
    assert.deepEqual(answer?.replies, ['Yes, please & now', 'No *']);
  });

  it('shows as an ordinary list once it is not a list of suggestions', () => {
    const shown = (source: string): string => {
      const answer = answerBlocks(source, source, true);
      return plainText(answer?.blocks ?? []);
    };
    assert.equal(shown('See\n\n- [Prices](https://example.com/)'), 'See\n\n- Prices (https://example.com/)');
    assert.equal(shown('- [ ] send'), '☐ send');
    assert.equal(shown('1. [Sic] one'), '1. [Sic] one');
  });
});

describe('an answer with definitions', () => {
  it('never shows one that gives a link its address, also while it streams', () => {
    const source = 'See [the map][m].\n\n[m]: https://example.com/map\n[n]: https://example.com/n\n';
    for (let length = source.indexOf('\n'); length <= source.length; length++) {
      const answer = answerBlocks('map', source.slice(0, length), true);
      // Its label may be the text of a link.
      assert.match(
        plainText(answer?.blocks ?? []),
        /^See \[the map\]\[m\]\.(?:\n\n[mn])?$/,
        source.slice(0, length),
      );
    }
    const answer = answerBlocks('map', source, false);
    assert.equal(plainText(answer?.blocks ?? []), 'See the map (https://example.com/map).');
  });

  it('is plain text if it has nothing else', () => {
    assert.equal(answerBlocks('', '[Website]: https://example.com/\n', false), undefined);
  });
});
