import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ToolResults } from '../../../src/contract/client-tool.ts';
import { fitToolResult } from '../../../src/widget/panel/page-tools/fit-tool-result.ts';

const isAccepted = (result: unknown) => ToolResults.safeParse([result]).success;

describe('the result of a page tool', () => {
  it('is sent whole if the service accepts it', () => {
    const result = { name: 'look', arguments: { at: 'a'.repeat(1900) }, result: 'b'.repeat(1900) };
    assert.deepEqual(fitToolResult(result), result);
  });

  for (const [title, letter] of [
    ['plain text', 'b'],
    ['text that JSON escapes', '"'],
    ['characters outside the basic plane', '🌷'],
  ] as const)
    it(`is shortened to the length that the service accepts: ${title}`, () => {
      const whole = { name: 'look', arguments: { at: 'a' }, result: [letter.repeat(5000)] };
      const sent = fitToolResult(whole);
      assert(!isAccepted(whole) && isAccepted(sent));
      assert.equal(sent.arguments, whole.arguments);
      const { error, beginning } = sent.result as Record<string, string>;
      assert.match(error ?? '', /result is too long/);
      assert((beginning?.length ?? 0) > 900 && JSON.stringify(whole.result).startsWith(beginning ?? '-'));
    });

  it('is sent with the beginning of arguments that are too long', () => {
    const whole = { name: 'look', arguments: { at: 'a'.repeat(5000) }, result: 'b'.repeat(5000) };
    const sent = fitToolResult(whole);
    assert(isAccepted(sent));
    assert.match(String(sent.arguments['error']), /arguments are too long/);
    assert.match(String(sent.arguments['beginning']), /^\{"at":"a{1800}/);
    assert.match(JSON.stringify(sent.result), /b{1500}/);
  });
});
