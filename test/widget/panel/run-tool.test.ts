import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PageTool } from '../../../src/widget/page-tool.ts';
import { runTool, timeLimit } from '../../../src/widget/panel/page-tools/run-tool.ts';

const tool = (run: PageTool['run']): PageTool => ({ name: 'look', description: 'Looks.', run });
const never = () => new Promise<never>(() => undefined);

describe('a page tool', () => {
  it('fails if it takes too long', async ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout'] });
    const outcome = runTool(tool(never), {}, new AbortController().signal);
    mock.timers.tick(timeLimit);
    assert.deepEqual(await outcome, {
      outcome: 'failed',
      result: { error: 'It took more than 30 seconds.' },
    });
  });

  it('fails if the visitor leaves meanwhile', async () => {
    const controller = new AbortController();
    const outcome = runTool(tool(never), {}, controller.signal);
    controller.abort();
    assert.equal((await outcome).outcome, 'failed');
  });

  it('fails if it throws, at once or later, whatever it throws', async () => {
    const { signal } = new AbortController();
    const throws = tool(() => {
      throw new Error('No such product');
    });
    assert.deepEqual((await runTool(throws, {}, signal)).result, { error: 'No such product' });
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- pages do
    const rejects = tool(() => Promise.reject('sold out'));
    assert.deepEqual((await runTool(rejects, {}, signal)).result, { error: 'sold out' });
  });

  it('fails if its result cannot be written as JSON', async () => {
    const circle: Record<string, unknown> = {};
    circle['itself'] = circle;
    const { outcome } = await runTool(
      tool(() => circle),
      {},
      new AbortController().signal,
    );
    assert.equal(outcome, 'failed');
  });

  it('returns null if it returns nothing', async () => {
    const outcome = await runTool(
      tool(() => undefined),
      {},
      new AbortController().signal,
    );
    assert.deepEqual(outcome, { outcome: 'done', result: null });
  });
});
