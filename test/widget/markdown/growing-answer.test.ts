import assert from 'node:assert/strict';
import { describe, it, type Mock } from 'node:test';
import { Lexer, type Token } from 'marked';
import { answerBlocks } from '../../../src/widget/panel/markdown/answer-blocks.ts';

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

/** The blocks as text, without the white space between them. */
const shape = (blocks: readonly Token[] = []): string[] =>
  blocks.filter(({ type }) => type !== 'space').map(({ type, raw }) => `${type}: ${raw}`);

/** The blocks of a text that streams in steps, with all blocks of earlier steps in `before`. */
function stream(text: string, step: number, before?: (blocks: readonly Token[], end: number) => void) {
  const key = crypto.randomUUID();
  for (let end = step; end < text.length + step; end += step)
    before?.(answerBlocks(key, text.slice(0, end), true)?.blocks ?? [], end);
  return answerBlocks(key, text, true)?.blocks;
}

describe('an answer that streams', () => {
  for (const step of [1, 2, 3, 5, 7, 13, 50]) {
    it(`has the blocks of the whole answer, ${step} characters at a time`, () => {
      stream(answer, step, (blocks, end) => {
        const whole = answerBlocks('', answer.slice(0, end), false)?.blocks;
        const finished = shape(blocks).slice(0, -1);
        assert.deepEqual(finished, shape(whole).slice(0, finished.length), `after ${end}`);
      });
      assert.deepEqual(shape(stream(answer, step)), shape(answerBlocks('', answer, false)?.blocks));
    });
  }

  it('keeps the tokens of finished blocks', () => {
    const [first] = answerBlocks('kept', 'One.\n\nTwo.\n\nThr', true)?.blocks ?? [];
    const [again] = answerBlocks('kept', 'One.\n\nTwo.\n\nThree. And more', true)?.blocks ?? [];
    assert.ok(first);
    assert.equal(again, first);
  });

  it('is lexed from the start if its text changes', () => {
    answerBlocks('changed', 'One.\n\nTwo.\n\nThree.', true);
    assert.deepEqual(shape(answerBlocks('changed', '# Other', true)?.blocks), ['heading: # Other']);
  });

  it('shows as plain text once it is too complex', () => {
    const text = 'One.\n\n' + '> '.repeat(100);
    const shown = [20, 200, 203, 206].map((length) => answerBlocks('complex', text.slice(0, length), true));
    assert.deepEqual(
      shown.map((answer) => answer !== undefined),
      [true, false, false, false],
    );
  });
});

const passage = `The **Alpine 40** carries 40 litres, which is little for a pack with a frame:

- *small*, for a back of up to 43 cm
- *large*, for everyone else

See [the size table](https://example.com/sizes) or ask for \`ALP-40\` in a shop near you.

`;

describe('the time for an answer that streams', () => {
  /** Characters that the lexer reads for so many chunks of 4 characters. */
  const readFor = (
    lex: Mock<typeof Lexer.prototype.blockTokens>,
    pattern: string,
    chunks: number,
  ): number => {
    lex.mock.resetCalls();
    stream(pattern.repeat(Math.ceil((chunks * 4) / pattern.length)).slice(0, chunks * 4), 4);
    return lex.mock.calls.reduce((sum, { arguments: [text] }) => sum + text.length, 0);
  };

  for (const [name, pattern] of [
    ['paragraphs and lists', passage],
    ['one paragraph', 'word '],
    ['one list', '- item\n'],
    ['one quote', '> line\n'],
  ] as const)
    it(`is at most 2.2 times as much for twice the text: ${name}`, ({ mock }) => {
      const lex = mock.method(Lexer.prototype, 'blockTokens');
      const half = readFor(lex, pattern, 4000);
      const ratio = readFor(lex, pattern, 8000) / half;
      assert.ok(half >= 4000 * 4, `Only ${half} characters were read.`);
      assert.ok(ratio < 2.2, `It is ${ratio.toFixed(2)} times as much.`);
    });
});
