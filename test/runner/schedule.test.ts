import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { schedule } from './schedule.ts';
import type { Suite } from './suites.ts';

const suite = (name: string, ...after: string[]): Suite => ({
  name,
  run: [],
  counts: 'check',
  after,
  limit: 1,
});

/** Runs suites step by step: `end` ends one, and `names` returns the running ones. */
function runByHand(suites: Suite[], width: number) {
  const running = new Map<string, () => void>();
  const outcomes = schedule(suites, width, ({ name }) => {
    return new Promise<string>((resolve) => {
      running.set(name, () => {
        running.delete(name);
        resolve(name);
      });
    });
  });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    outcomes,
    async end(name: string) {
      running.get(name)?.();
      await settle();
    },
    names: () => [...running.keys()],
  };
}

describe('the schedule', () => {
  it('runs suites in order, up to the limit at a time', async () => {
    const run = runByHand([suite('a'), suite('b'), suite('c')], 2);
    assert.deepEqual(run.names(), ['a', 'b']);
    await run.end('b');
    assert.deepEqual(run.names(), ['a', 'c']);
    await run.end('a');
    await run.end('c');
    assert.deepEqual(await run.outcomes, ['b', 'a', 'c']);
  });

  it('starts a suite only after all groups that it depends on have ended', async () => {
    const run = runByHand(
      [suite('e2e', 'build', 'service'), suite('build'), suite('service:a'), suite('service:b')],
      2,
    );
    assert.deepEqual(run.names(), ['build', 'service:a']);
    await run.end('build');
    await run.end('service:a');
    assert.deepEqual(run.names(), ['service:b']);
    await run.end('service:b');
    assert.deepEqual(run.names(), ['e2e']);
    await run.end('e2e');
    assert.equal((await run.outcomes).length, 4);
  });

  it('does not wait for groups that are not part of the run', async () => {
    const run = runByHand([suite('e2e', 'build')], 2);
    assert.deepEqual(run.names(), ['e2e']);
    await run.end('e2e');
    await run.outcomes;
  });

  it('fails if suites wait for each other', async () => {
    await assert.rejects(
      runByHand([suite('a', 'b'), suite('b', 'a')], 2).outcomes,
      /wait for each other: a, b/,
    );
  });
});
