import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until `find` returns a value; returns the value. Calls take their real time.
 *
 * @throws {Error} after a minute
 */
export async function waitFor<Found>(
  what: string,
  find: () => Found | undefined | false | Promise<Found | undefined | false>,
): Promise<Found> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`Waited a minute for ${what}.`);
    await pause(50);
  }
}
