import { setImmediate as turn } from 'node:timers/promises';

/**
 * Waits until a condition holds, one turn of the event loop after another. Works while timers are mocked.
 *
 * @param everyTurn called at each turn until then
 * @throws {Error} if it does not hold within ten seconds
 */
export async function until(condition: () => boolean, everyTurn?: () => void): Promise<void> {
  const deadline = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`Waited ten seconds for: ${condition.toString()}`);
    everyTurn?.();
    await turn();
  }
}
