import { relative } from 'node:path';
import { repository } from '../support/repository.ts';
import { runSuite } from './run-suite.ts';
import type { SuiteOutcome } from './run-suite.ts';
import { isCi, withFlaky } from './suite-result.ts';
import type { Suite } from './suites.ts';

/** If more files fail, the machine's load is not the reason. */
const mostToRepeat = 6;

/**
 * Runs a suite, and its files that failed once more. Tests that pass then are reported as flaky: they count as passed locally
 * and as failed in CI.
 */
export async function runWithSecondChance(
  suite: Suite,
  run = runSuite,
  countsAsFailure = isCi,
): Promise<SuiteOutcome> {
  const first = await run(suite);
  const { red = [] } = first;
  const files = [...new Set(red.map(({ file }) => file))];
  if (!suite.again || files.length === 0 || files.length > mostToRepeat) return first;
  const second = await run({ ...suite, run: suite.again(files) });
  const seconds = first.seconds + second.seconds;
  if (second.failed > 0)
    return { ...first, seconds, output: `${first.output}\n\nOnce more:\n${second.output}` };
  const flaky = red.map(({ file, title }) => `${relative(repository, file)}: ${title}`);
  const passed = { ...first, passed: first.passed + first.failed, failed: 0 };
  const output = [first.output, ...flaky.map((name) => `flaky ${name}`)].join('\n');
  return { ...first, ...withFlaky(passed, flaky, countsAsFailure), suite, seconds, output };
}
