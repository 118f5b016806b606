import { relative } from 'node:path';
import { repository } from '../support/repository.ts';
import { runSuite } from './run-suite.ts';
import type { SuiteOutcome } from './run-suite.ts';
import { isCi, withFlaky } from './suite-result.ts';
import type { Suite } from './suites.ts';

/** If more files fail, load on the machine is an unlikely cause. */
const maxRepeatedFiles = 6;

/** Runs a suite, then its failed files again. Tests that pass then are flaky: passed locally, failed in CI. */
export async function runFailedAgain(
  suite: Suite,
  run = runSuite,
  countsAsFailure = isCi,
): Promise<SuiteOutcome> {
  const first = await run(suite);
  const { failedTests = [] } = first;
  const files = [...new Set(failedTests.map(({ file }) => file))];
  if (!suite.again || files.length === 0 || files.length > maxRepeatedFiles) return first;
  const second = await run({ ...suite, run: suite.again(files) });
  const seconds = first.seconds + second.seconds;
  if (second.failed > 0)
    return { ...first, seconds, output: `${first.output}\n\nSecond run:\n${second.output}` };
  const flaky = failedTests.map(({ file, title }) => `${relative(repository, file)}: ${title}`);
  const passed = { ...first, passed: first.passed + first.failed, failed: 0 };
  const output = [first.output, ...flaky.map((name) => `flaky ${name}`)].join('\n');
  return { ...first, ...withFlaky(passed, flaky, countsAsFailure), suite, seconds, output };
}
