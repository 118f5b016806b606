import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { createPanelActions } from '../../../src/widget/panel/panel-actions.ts';

const original = Object.getOwnPropertyDescriptor(globalThis, 'navigator') as PropertyDescriptor;

describe('a new conversation, when what offers the way back could not be loaded', () => {
  afterEach(() => {
    Object.defineProperty(globalThis, 'navigator', original);
    Reflect.deleteProperty(globalThis, 'matchMedia');
  });

  it('is not begun without a connection: the visitor would be left with neither', async () => {
    assert.equal(await restarts({ onLine: false }), 0);
  });

  it('is begun with one', async () => {
    assert.equal(await restarts({ onLine: true }), 1);
  });
});

/** How often a press of the button begins a new conversation. */
async function restarts(navigator: Pick<Navigator, 'onLine'>): Promise<number> {
  Object.defineProperty(globalThis, 'navigator', { configurable: true, value: navigator });
  Object.assign(globalThis, { matchMedia: () => ({ matches: false }) });
  let count = 0;
  const loading = Promise.resolve(undefined);
  const panel = {
    late: { load: () => loading },
    container: { querySelectorAll: () => [], focus: () => undefined },
    restart: () => count++,
  };
  const actions = createPanelActions(panel as unknown as Parameters<typeof createPanelActions>[0], () => {
    throw new Error('There is nothing to offer.');
  });
  actions.restart();
  await loading;
  await Promise.resolve();
  return count;
}
