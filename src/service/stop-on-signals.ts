import { constants } from 'node:os';
import process from 'node:process';

/** Signals within this time are one request to stop: a terminal and a process manager may both pass on one Ctrl+C. */
const samePressMs = 500;

/** Calls `stop` on the first SIGTERM or SIGINT; a later one ends the process at once, with code 128 plus its number. */
export function stopOnSignals(stop: () => void): void {
  let firstAt: number | undefined;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (firstAt === undefined) {
        firstAt = performance.now();
        stop();
      } else if (performance.now() - firstAt > samePressMs) {
        process.exit(128 + constants.signals[signal]);
      }
    });
  }
}
