import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { limits } from '../../../src/contract/limits.ts';
import { pageDataOf } from '../../../src/widget/panel/options.ts';
import type { VoiceAssistantChat } from '../../../src/widget/voice-assistant-chat.ts';

const { valueCharacters } = limits.variables;

function dataOf(page: Pick<VoiceAssistantChat, 'context' | 'variables'>): ReturnType<typeof pageDataOf> {
  return pageDataOf(page as VoiceAssistantChat);
}

describe("the page's facts and variables", () => {
  it('are shortened to what the service accepts, with one warning for each', (t) => {
    const warn = t.mock.method(console, 'warn', () => undefined);
    const page = {
      context: { page: `https://shop.example/?x=${'y'.repeat(3000)}`, items: Array(3000).fill(1), count: 3 },
      variables: { smile: '😀'.repeat(2100) },
    };
    dataOf(page);
    const { context, variables } = dataOf(page);
    assert.deepEqual(context, {
      page: page.context.page.slice(0, valueCharacters),
      items: JSON.stringify(page.context.items).slice(0, valueCharacters),
      count: 3,
    });
    assert.deepEqual(variables, { smile: '😀'.repeat(valueCharacters) });
    assert.deepEqual(
      warn.mock.calls.map(({ arguments: [text] }) => String(text).split(' ')[1]),
      ['variables.smile', 'context.page', 'context.items'],
    );
  });

  it('stay as they are within the limit', (t) => {
    const warn = t.mock.method(console, 'warn', () => undefined);
    const page = { context: { text: '😀'.repeat(valueCharacters), none: undefined }, variables: undefined };
    assert.deepEqual(dataOf(page), page);
    assert.equal(warn.mock.callCount(), 0);
  });
});
