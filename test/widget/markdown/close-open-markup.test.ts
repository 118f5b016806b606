import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { closeOpenMarkup } from '../../../src/widget/panel/markdown/close-open-markup.ts';

describe('closing open markup of a growing text', () => {
  const cases: [growing: string, closed: string][] = [
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
    ['see [the map](https://example.com/a_(b', 'see the map'],
    ['see [the map](https://example.com/a_(b)', 'see the map'],
    ['see [the map](https://example.com/a_(b)) now', 'see [the map](https://example.com/a_(b)) now'],
    ['[map]:', ''],
    ['see [the map][map]\n[map]: https://exa', 'see [the map][map]\n'],
    ['[map]: https://example.com\n', ''],
    ['[Status]: shipped by', '[Status]: shipped by'],
    ['look: ![a pict', 'look: '],
    ['look: [![a pict](https://exa', 'look: '],
    ['look: [the ![pict', 'look: the '],
    ['see [1] and [the ma', 'see [1] and the ma'],
    ['ends with **', 'ends with '],
    ['これは**', 'これは'],
    ['***both***, and', '***both***, and'],
    ['**bold*', '**bold**'],
    ['**bold**', '**bold**'],
    ['a ``b`', 'a ``b``'],
    ['a ~~stri~', 'a ~~stri~~'],
    ['5 \\*', '5 \\*'],
    ['- one\n- ', '- one\n'],
    ['1. one\n2.', '1. one\n'],
    ['## ', ''],
    ['2 * 3 = 6', '2 * 3 = 6'],
    ['2 * 3 = 6. **No', '2 * 3 = 6. **No**'],
    ['2* 3 and 5 *', '2* 3 and 5 '],
    ['* **Basic**: some', '* **Basic**: some'],
    ['* one\n* **Basic**: some', '* one\n* **Basic**: some'],
    ['* see *em', '* see *em*'],
    ['*see * em', '*see * em*'],
    ['snake_case and _em', 'snake_case and _em_'],
    ['snake_case', 'snake_case'],
    ['имя_файла', 'имя_файла'],
    ['変数_名', '変数_名'],
    ['~~~ `a`\n*b', '~~~ `a`\n*b'],
    ['``` `a`\n*b', '``` `a`\n*b*'],
    ['5 \\* 3', '5 \\* 3'],
    ['```js\nlet a = `x', '```js\nlet a = `x'],
    ['```js\nlet a\n```\n', '```js\nlet a\n```\n'],
    ['1. One:\n   ```js\n   a = [1, *b', '1. One:\n   ```js\n   a = [1, *b'],
    ['1. One:\n   ```js\n   a = [1\n   ```', '1. One:\n   ```js\n   a = [1\n   ```'],
    ['1. One:\n   ```js\n   a = *b\n   ```\n2. **bo', '1. One:\n   ```js\n   a = *b\n   ```\n2. **bo**'],
    ['- ~~~~\n  ~~~\n  a = *b', '- ~~~~\n  ~~~\n  a = *b'],
    ['> > ```\n> > a = *b', '> > ```\n> > a = *b'],
    ['```a``` **bo', '```a``` **bo**'],
  ];
  for (const [growing, closed] of cases) {
    it(`makes ${JSON.stringify(growing)} into ${JSON.stringify(closed)}`, () => {
      assert.equal(closeOpenMarkup(growing), closed);
    });
  }

  it('takes no longer for a text with many open delimiters, brackets and spaces', () => {
    for (const pattern of [
      '[**_`~',
      '[',
      '![',
      '](',
      ' ',
      '\n',
      '`',
      '[a](',
      '- ',
      '* a',
      '*a ',
      '> ',
      '> ```\n',
      '~~~\n',
      '```',
      '~',
      '```a',
    ]) {
      const start = process.cpuUsage();
      closeOpenMarkup(`${pattern.repeat(60_000 / pattern.length)}]a`);
      const { user, system } = process.cpuUsage(start);
      // In quadratic time, this takes many seconds; in linear time, a few milliseconds.
      assert.ok((user + system) / 1000 < 1000, pattern);
    }
  });
});
