import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Lexer } from 'marked';
import { BlockLexer } from '../../../src/widget/panel/markdown/block-lexer.ts';

const passage = `The **Alpine 40** carries 40 litres, which is little for a pack with a frame:

- *small*, for a back of up to 43 cm
- *large*, for everyone else

See [the size table](https://example.com/sizes) or ask for \`ALP-40\` in a shop near you.

`;

test('an answer of twice the pieces is at most 2.2 times the work', ({ mock }) => {
  const lex = mock.method(Lexer, 'lex');
  /** Characters that are read for an answer that grows by four at a time. */
  const workFor = (pieces: number): number => {
    const text = passage.repeat(pieces);
    const lexer = new BlockLexer();
    lex.mock.resetCalls();
    for (let piece = 1; piece <= pieces; piece++) lexer.lex(text.slice(0, piece * 4));
    return lex.mock.calls.reduce((sum, { arguments: [read] }) => sum + read.length, 0);
  };
  const work = workFor(2000);
  assert.ok(work >= 2000 * 4, `Only ${String(work)} characters were read.`);
  const ratio = workFor(4000) / work;
  assert.ok(ratio <= 2.2, `It is ${ratio.toFixed(2)} times the work.`);
});
