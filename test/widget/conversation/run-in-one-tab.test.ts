import assert from 'node:assert/strict';
import { it, mock } from 'node:test';
import { newKey } from '../../../src/widget/conversation/sending/new-key.ts';
import { runInOneTab } from '../../../src/widget/conversation/tabs/run-in-one-tab.ts';

const { signal } = new AbortController();

const tab = (name: string, isShared: boolean) => ({ name, isShared: () => isShared });

it('waits for no other tab if they do not share its storage', async () => {
  const name = newKey();
  const ending = Promise.withResolvers<undefined>();
  const running = runInOneTab(tab(name, false), 'events', signal, () => ending.promise);
  const task = mock.fn(() => Promise.resolve());
  await runInOneTab(tab(name, false), 'events', signal, task);
  assert.equal(task.mock.callCount(), 1);
  ending.resolve(undefined);
  await running;
});

it('waits for no other tab if the browser refuses the lock', async (t) => {
  const refusal = new DOMException('Access to the Locks API is denied.', 'SecurityError');
  t.mock.method(navigator.locks, 'request', () => Promise.reject(refusal));
  const task = mock.fn(() => Promise.resolve());
  await runInOneTab(tab(newKey(), true), 'events', signal, task);
  assert.equal(task.mock.callCount(), 1);
});

it('runs nothing if its signal aborts while it waits', async () => {
  const name = newKey();
  const ending = Promise.withResolvers<undefined>();
  const running = runInOneTab(tab(name, true), 'events', signal, () => ending.promise);
  const controller = new AbortController();
  const task = mock.fn(() => Promise.resolve());
  const waiting = runInOneTab(tab(name, true), 'events', controller.signal, task);
  controller.abort();
  await assert.rejects(waiting, { name: 'AbortError' });
  ending.resolve(undefined);
  await running;
  assert.equal(task.mock.callCount(), 0);
});
