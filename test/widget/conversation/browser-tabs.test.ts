import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { connectTabs } from '../../../src/widget/conversation/tabs/browser-tabs.ts';

/** Whether a request for a lock is pending. */
async function isAwaited(name: string): Promise<boolean> {
  await turn();
  return (await navigator.locks.query()).pending?.some((lock) => lock.name === name) === true;
}

it('leaves messages to the tab that sends them, even if it gets its lock late', async (t) => {
  const channel = connectTabs('shop', () => undefined);
  const claim = mock.fn();
  const gone = channel.onTabClosed('sender', false, claim);
  // The other tab had requested it before, but the browser was slow.
  const sending = Promise.withResolvers<undefined>();
  t.after(() => {
    sending.resolve(undefined);
    channel.close();
  });
  await new Promise<void>((resolve) => {
    void navigator.locks.request('shop:sender', async () => {
      resolve();
      await sending.promise;
    });
  });
  while (claim.mock.callCount() === 0 && !(await isAwaited('shop:sender')));
  assert.equal(claim.mock.callCount(), 0);
  sending.resolve(undefined);
  assert.equal(await gone, true);
  assert.equal(claim.mock.callCount(), 1);
});

it('takes over from a closed tab at once, and not from an open one', async () => {
  const channel = connectTabs('shop', () => undefined);
  const sending = Promise.withResolvers<undefined>();
  const held = navigator.locks.request('shop:alive', () => sending.promise);
  assert.equal(await channel.onTabClosed('alive', true, () => assert.fail('It is alive.')), false);
  sending.resolve(undefined);
  await held;
  const claim = mock.fn();
  assert.equal(await channel.onTabClosed('gone', true, claim), true);
  assert.equal(claim.mock.callCount(), 1);
  channel.close();
});
