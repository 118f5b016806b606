import { setTimeout as pause } from 'node:timers/promises';

/**
 * Polls until `poll` returns a value; returns the value. For tests whose timers are mocked there is `until`.
 *
 * @param description the awaited value, for the error
 * @param poll returns `undefined` or `false` as long as there is none
 * @param milliseconds the time limit; a minute by default, since a busy machine is slow
 * @throws {Error} if there is none in time
 */
export async function eventually<Found>(
  description: string | (() => string),
  poll: () => Found | Promise<Found>,
  milliseconds = 60_000,
): Promise<Exclude<Found, false | undefined>> {
  const deadline = performance.now() + milliseconds;
  for (;;) {
    const found = await poll();
    if (found !== undefined && found !== false) return found as Exclude<Found, false | undefined>;
    if (performance.now() > deadline)
      throw new Error(
        `Timed out waiting for ${typeof description === 'string' ? description : description()}.`,
      );
    await pause(10);
  }
}
