import { setTimeout as pause } from 'node:timers/promises';

const day = 86_400_000;

/**
 * Returns the current day in UTC, such as `2026-01-31`. In the last minute of a day, waits for the next one, so that the
 * test can end on the day on which it began.
 */
export async function utcDay(): Promise<string> {
  const left = day - (Date.now() % day);
  if (left < 60_000) await pause(left + 10);
  return new Date().toISOString().slice(0, 10);
}
