import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Lexer } from 'marked';
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

  it('reads twice as many characters for twice the text, and not four times as many', (context) => {
    const lex = context.mock.method(Lexer, 'lex');
    const read = (count: number): number => {
      lex.mock.resetCalls();
      const lexer = new BlockLexer();
      let text = '';
      for (let index = 0; index < count; index++) {
        text += index % 30 === 29 ? 'end.\n\n' : '**w** ';
        lexer.lex(text);
      }
      return lex.mock.calls.reduce((sum, call) => sum + call.arguments[0].length, 0);
    };
    assert.ok(read(4000) / read(2000) < 2.05);
  });
});
