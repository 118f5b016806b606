import { setImmediate as turn } from 'node:timers/promises';

/**
 * Waits until a condition is true. Checks it in each turn of the event loop, so it works while timers are mocked.
 *
 * @param everyTurn called in each turn until then
 * @throws {Error} if the condition is not true within a minute: a busy machine is slow
 */
export async function until(condition: () => boolean, everyTurn?: () => void): Promise<void> {
  const deadline = performance.now() + 60_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited a minute for: ${condition.toString()}`);
    everyTurn?.();
    await turn();
  }
}
