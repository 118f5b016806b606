import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heal } from '../../../src/widget/panel/markdown/heal.ts';

describe('healing the end of a growing text', () => {
  const cases: [growing: string, healed: string][] = [
    ['plain text', 'plain text'],
    ['some **bo', 'some **bo**'],
    ['some **bold** and *it', 'some **bold** and *it*'],
    ['***both', '***both***'],
    ['a ~~stri', 'a ~~stri~~'],
    ['run `npm i', 'run `npm i`'],
    ['run ``a ` b', 'run ``a ` b``'],
    ['**bold with `code', '**bold with `code`**'],
    ['**bold ', '**bold** '],
    ['see [the ma', 'see the ma'],
    ['see [the map](https://exa', 'see the map'],
    ['see [the map](https://example.com) now', 'see [the map](https://example.com) now'],
    ['look: ![a pict', 'look: '],
    ['ends with **', 'ends with '],
    ['- one\n- ', '- one\n'],
    ['1. one\n2.', '1. one\n'],
    ['## ', ''],
    ['2 * 3 = 6', '2 * 3 = 6'],
    ['snake_case', 'snake_case'],
    ['5 \\* 3', '5 \\* 3'],
    ['```js\nlet a = `x', '```js\nlet a = `x'],
  ];
  for (const [growing, healed] of cases) {
    it(`makes ${JSON.stringify(growing)} into ${JSON.stringify(healed)}`, () => {
      assert.equal(heal(growing), healed);
    });
  }

  it('never takes longer than the text is worth', () => {
    const hostile = '[**_`~'.repeat(3000);
    const start = performance.now();
    heal(hostile);
    // Quadratic work on 18,000 characters takes many seconds; linear takes milliseconds.
    assert.ok(performance.now() - start < 2000);
  });
});
