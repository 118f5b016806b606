import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { test } from 'node:test';
import { withTimeout } from '../../src/service/lib/with-timeout.ts';

const reasonOf = (signal: AbortSignal): Promise<unknown> =>
  new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      resolve(signal.reason);
    });
  });

test('removes its listeners from the signals when the work is done', async () => {
  const { signal } = new AbortController();
  assert.equal(await withTimeout(60_000, [signal], () => Promise.resolve(5)), 5);
  await assert.rejects(
    withTimeout(60_000, [signal], () => Promise.reject(new Error('no'))),
    /no/,
  );
  assert.deepEqual(getEventListeners(signal, 'abort'), []);
});

test('aborts work that takes too long with a TimeoutError', async () => {
  const reason = await withTimeout(1, [], reasonOf);
  assert.equal((reason as DOMException).name, 'TimeoutError');
});

test('aborts work with the reason of an aborted signal, also if it was aborted before', async () => {
  const controller = new AbortController();
  const reason = new Error('closing');
  const ended = withTimeout(60_000, [controller.signal], reasonOf);
  controller.abort(reason);
  assert.equal(await ended, reason);
  assert.equal(
    await withTimeout(60_000, [controller.signal], (signal) => Promise.resolve(signal.reason as unknown)),
    reason,
  );
});
