import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EngineTool } from '../../src/service/engine/engine.ts';
import { runToolCalls } from '../../src/service/engine/openai/run-tool-calls.ts';

const tool = (name: string, run: () => Promise<{ result: unknown }>): EngineTool => ({
  name,
  description: name,
  parameters: [],
  run,
});
const never = new Promise<never>(() => undefined);

/** The names of the tools that have run, and the error of the answer. */
async function run(tools: EngineTool[]): Promise<{ ran: string[]; error: unknown }> {
  const calls = tools.map(({ name }) => ({ id: name, name, arguments: '{}' }));
  const ran: string[] = [];
  try {
    const outcomes = runToolCalls(calls, { tools, pageTools: [] }, 10, new AbortController().signal);
    for await (const { event } of outcomes) if (event) ran.push(event.name);
  } catch (error) {
    return { ran, error };
  }
  return { ran, error: undefined };
}

describe('the tools of one answer', () => {
  it('are reported in the order of their calls', async () => {
    const result = { result: 1 };
    const later = tool('later', () => new Promise((resolve) => setImmediate(resolve, result)));
    const now = tool('now', () => Promise.resolve(result));
    assert.deepEqual(await run([later, now]), { ran: ['later', 'now'], error: undefined });
  });

  it('do not delay a failed answer for longer than a moment, and those that have run are reported', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const error = new Error('The database is not available.');
    const hanging = tool('hanging', () => never);
    const failing = tool('failing', () => Promise.reject(error));
    const done = tool('done', () => Promise.resolve({ result: 1 }));
    let isOver = false;
    const outcome = run([hanging, failing, done]).finally(() => (isOver = true));
    await new Promise(setImmediate);
    t.mock.timers.tick(1999);
    await new Promise(setImmediate);
    assert.equal(isOver, false);
    t.mock.timers.tick(1);
    assert.deepEqual(await outcome, { ran: ['done'], error });
  });
});
