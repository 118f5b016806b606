import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { BlockLexer } from '../../../src/widget/panel/markdown/block-lexer.ts';

const answer = `# Title

A paragraph with **bold**
and a second line.

- one
- two

- three, after a blank line

> quoted
lazily

| a | b |
|---|---|
| 1 | 2 |

\`\`\`js
let a = 1;

let b = 2;
\`\`\`

1. first
   - nested

The end
=======
`;

const shape = (tokens: readonly { type: string; raw: string }[]): string[] =>
  tokens.map(({ type, raw }) => `${type}: ${raw}`);

describe('lexing a growing text', () => {
  for (const step of [1, 2, 3, 5, 7, 13, 50]) {
    it(`gives what lexing it whole gives, ${step} characters at a time`, () => {
      const lexer = new BlockLexer();
      for (let end = step; end < answer.length + step; end += step) {
        const text = answer.slice(0, end);
        assert.deepEqual(shape(lexer.lex(text)), shape(BlockLexer.lexWhole(text)), `after ${text.length}`);
      }
    });
  }

  it('keeps the tokens of settled blocks', () => {
    const lexer = new BlockLexer();
    const [first] = lexer.lex('One.\n\nTwo.\n\nThr');
    const again = lexer.lex('One.\n\nTwo.\n\nThree. And more');
    assert.equal(again[0], first);
  });

  it('starts anew when the text is another', () => {
    const lexer = new BlockLexer();
    lexer.lex('One.\n\nTwo.\n\nThree.');
    assert.deepEqual(shape(lexer.lex('# Other')), ['heading: # Other']);
  });

  it('costs at most a little more than twice as much for twice the text', () => {
    const cost = (count: number): number => {
      const lexer = new BlockLexer();
      const words = Array.from({ length: count }, (_, index) => (index % 30 === 29 ? 'end.\n\n' : '**w** '));
      let text = '';
      const start = performance.now();
      for (const word of words) lexer.lex((text += word));
      return performance.now() - start;
    };
    // In turns, and the best of several: other programs' work only ever adds.
    let [half, whole] = [Infinity, Infinity];
    for (let turn = 0; turn < 9; turn++) {
      half = Math.min(half, cost(2000));
      whole = Math.min(whole, cost(4000));
    }
    const ratio = whole / half;
    assert.ok(ratio < 2.6, `ratio ${ratio}`);
  });
});
