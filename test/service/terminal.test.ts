import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { askIn } from '../../src/service/cli/terminal.ts';

describe('a question in a terminal', () => {
  for (const [key, code] of [
    ['Ctrl+C', '\u0003'],
    ['Ctrl+D', '\u0004'],
  ] as const) {
    it(`is cancelled by ${key}, in one sentence without a stack`, async () => {
      const input = new PassThrough();
      const answer = askIn({ input, output: new PassThrough(), terminal: true }, 'Your name: ');
      input.write(code);
      await assert.rejects(answer, { name: 'CommandError', message: 'Cancelled.' });
    });
  }

  it('returns the answer', async () => {
    const input = new PassThrough();
    const answer = askIn({ input, output: new PassThrough(), terminal: true }, 'Your name: ');
    input.write('Ada\n');
    assert.equal(await answer, 'Ada');
  });
});
