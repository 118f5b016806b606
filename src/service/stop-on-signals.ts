import { constants } from 'node:os';
import process from 'node:process';

/** Signals within this time count as one: a terminal and a process manager may both forward one Ctrl+C. */
const repeatMs = 500;

/** Calls `stop` on the first SIGTERM or SIGINT; a later one ends the process at once, with code 128 plus its number. */
export function stopOnSignals(stop: () => void): void {
  let firstAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        stop();
      } else if (performance.now() - firstAt > repeatMs) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}
