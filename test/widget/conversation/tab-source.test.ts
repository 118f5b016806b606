import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { newKey } from '../../../src/widget/conversation/sending/new-key.ts';
import type { TabSource } from '../../../src/widget/conversation/tabs/tab-channel.ts';
import { tabSource } from '../../../src/widget/conversation/tabs/tab-source.ts';

const { signal } = new AbortController();

function tab(name: string, isShared: boolean): TabSource {
  return tabSource(
    name,
    () => Promise.reject(new Error('No other tabs.')),
    () => isShared,
  );
}

it('waits for no other tab if they do not share its storage', async () => {
  const name = newKey();
  const ending = Promise.withResolvers<undefined>();
  const running = tab(name, false).exclusively('events', signal, () => ending.promise);
  const task = mock.fn(() => Promise.resolve());
  await tab(name, false).exclusively('events', signal, task);
  assert.equal(task.mock.callCount(), 1);
  ending.resolve(undefined);
  await running;
});
