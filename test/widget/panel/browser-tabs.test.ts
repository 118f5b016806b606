import assert from 'node:assert/strict';
import { it } from 'node:test';
import { connectTabs } from '../../../src/widget/panel/browser-tabs.ts';

it('leaves to a tab what it sends, also if that one gets its lock later than others ask for it', async (t) => {
  const channel = connectTabs('shop', () => undefined);
  let isTakenOver = false;
  const gone = channel.whenGone('sender', false, () => {
    isTakenOver = true;
  });
  // The other tab had asked before, but the browser took its time.
  await new Promise((resolve) => setTimeout(resolve, 20));
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
  // Long enough for whoever would take it over too early.
  await new Promise((resolve) => setTimeout(resolve, 700));
  assert.equal(isTakenOver, false);
  sending.resolve(undefined);
  assert.equal(await gone, true);
  assert.equal(isTakenOver, true);
});

it('takes over at once from a tab that is gone, when asked, and not from one that is there', async () => {
  const channel = connectTabs('shop', () => undefined);
  const sending = Promise.withResolvers<undefined>();
  const held = navigator.locks.request('shop:alive', () => sending.promise);
  assert.equal(await channel.whenGone('alive', true, () => assert.fail('It is alive.')), false);
  sending.resolve(undefined);
  await held;
  let isTakenOver = false;
  assert.equal(
    await channel.whenGone('gone', true, () => {
      isTakenOver = true;
    }),
    true,
  );
  assert.equal(isTakenOver, true);
  channel.close();
});
