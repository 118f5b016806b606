import { goesBy } from './suites.ts';
import type { Suite } from './suites.ts';

/**
 * Runs up to `width` suites at a time, in order, each after the groups in its `after` have ended. Ignores groups that
 * are not among the suites.
 */
export async function schedule<Outcome>(
  suites: readonly Suite[],
  width: number,
  run: (suite: Suite) => Promise<Outcome>,
): Promise<Outcome[]> {
  const waiting = [...suites];
  const running = new Map<Suite, Promise<void>>();
  const outcomes: Outcome[] = [];

  while (waiting.length > 0 || running.size > 0) {
    const unfinished = [...waiting, ...running.keys()];
    const next = waiting.find(
      ({ after = [] }) => !after.some((group) => unfinished.some((suite) => goesBy(suite, group))),
    );
    if (next && running.size < width) {
      waiting.splice(waiting.indexOf(next), 1);
      const ending = run(next).then((outcome) => {
        outcomes.push(outcome);
        running.delete(next);
      });
      running.set(next, ending);
    } else if (running.size > 0) {
      await Promise.race(running.values());
    } else {
      throw new Error(`These suites wait for each other: ${waiting.map((suite) => suite.name).join(', ')}.`);
    }
  }
  return outcomes;
}
