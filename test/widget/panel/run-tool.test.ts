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

  const circle: Record<string, unknown> = {};
  circle['itself'] = circle;
  for (const [title, value, result] of [
    ['returns null if it returns nothing', undefined, null],
    ['returns null if its result has no JSON: an object that contains itself', circle, null],
    ['returns null if its result has no JSON: a function', never, null],
    ['returns a BigInt as a string', 12n, '12'],
    ['returns texts without null characters', { 'a\0': ['b\0', '\\u0000\\\0"'] }, { a: ['b', '\\u0000\\"'] }],
  ] as const)
    it(title, async () => {
      const outcome = await runTool(
        tool(() => value),
        {},
        new AbortController().signal,
      );
      assert.deepEqual(outcome, { outcome: 'done', result });
    });

  it('gets a copy of the arguments, which it may change', async () => {
    const args = { query: 'lamp', filter: { color: 'red' } };
    const changes = tool((own: Record<string, unknown>) => {
      own['limit'] = 10;
      (own['filter'] as { color: string }).color = 'blue';
      return own;
    });
    const { result } = await runTool(changes, args, new AbortController().signal);
    assert.deepEqual(result, { query: 'lamp', filter: { color: 'blue' }, limit: 10 });
    assert.deepEqual(args, { query: 'lamp', filter: { color: 'red' } });
  });
});
