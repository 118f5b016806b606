import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until `look` returns a value.
 *
 * @param describe describes the awaited value, for the error
 */
export async function eventually<Found>(
  describe: () => string,
  look: () => Found | undefined | Promise<Found | undefined>,
  milliseconds = 20_000,
): Promise<Found> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new Error(`Timed out waiting for ${describe()}.`);
    await pause(5);
  }
}
