import { constants } from 'node:os';
import process from 'node:process';

/** Signals within this time count as one: a terminal and a process manager may both forward one Ctrl+C. */
const repeatMs = 500;

/** Interval at which a program of an npm script checks whether npm still runs, in milliseconds. */
const parentCheckMs = 250;

/**
 * Calls `stop` on the first SIGTERM or SIGINT; a later one ends the process at once, with code 128 plus its number.
 * Also calls it when npm, which started this program, has ended: npm sends signals to its shell, not to the program.
 */
export function stopOnSignals(stop: () => void): void {
  let firstAt: number | undefined;
  const stopOnce = () => {
    firstAt = performance.now();
    clearInterval(watch);
    stop();
  };
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) stopOnce();
  }, parentCheckMs).unref();
  if (process.env['npm_lifecycle_event'] === undefined) clearInterval(watch);
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (firstAt === undefined) stopOnce();
      else if (performance.now() - firstAt > repeatMs) process.exit(128 + constants.signals[signal]);
    });
  }
}
