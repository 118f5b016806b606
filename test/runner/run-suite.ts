import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChildProcess } from '../support/process/child-process.ts';
import { repository } from '../support/repository.ts';
import { resultFileVariable } from './suite-result.ts';
import type { SuiteResult } from './suite-result.ts';
import type { Suite } from './suites.ts';

export interface SuiteOutcome extends SuiteResult {
  suite: Suite;
  seconds: number;
  output: string;
  /** The reason of the failure, if no single test failed. */
  reason?: string;
}

/** Runs a suite to its end, or to its time limit. Never rejects: errors are failures of the suite. */
export async function runSuite(suite: Suite): Promise<SuiteOutcome> {
  const start = performance.now();
  const folder = await mkdtemp(join(tmpdir(), 'suite-'));
  const resultFile = join(folder, 'result.json');
  const [command = '', ...args] = suite.run.map((part) =>
    part.replace(`\${${resultFileVariable}}`, resultFile),
  );
  const child = startChildProcess(command, args, {
    cwd: repository,
    env: {
      // The suites start the same programs hundreds of times, so compiled files are cached.
      NODE_COMPILE_CACHE: join(repository, 'node_modules/.cache/compiled'),
      // The databases of tests need not outlive a power cut, and disks differ most in how long they take to write.
      FSYNC: 'off',
      ...suite.env,
      [resultFileVariable]: resultFile,
      FORCE_COLOR: undefined,
      NODE_TEST_CONTEXT: undefined,
    },
    keptOutput: 2_000_000,
  });
  const status = await Promise.race([
    child.ended,
    delay(suite.limit * 60_000, 'too long' as const, { ref: false }),
  ]);
  await child.stop();
  const result = suite.counts === 'check' ? checkResult(status) : await readResult(resultFile);
  await rm(folder, { recursive: true, force: true });
  return {
    suite,
    ...judge(suite, status, result),
    seconds: (performance.now() - start) / 1000,
    output: child.output(),
  };
}

const noTests: SuiteResult = { passed: 0, failed: 0, skipped: 0 };

const checkResult = (status: unknown): SuiteResult =>
  status === 0 ? { ...noTests, passed: 1 } : { ...noTests, failed: status === 'too long' ? 0 : 1 };

async function readResult(file: string): Promise<SuiteResult> {
  try {
    return { ...noTests, ...(JSON.parse(await readFile(file, 'utf8')) as Partial<SuiteResult>) };
  } catch {
    // The suite ended before it wrote its counts.
    return noTests;
  }
}

/** Also fails a suite that has a non-zero exit code, ran no test, or exceeded its time limit. */
export function judge(
  suite: Suite,
  status: number | string,
  result: SuiteResult,
): SuiteResult & { reason?: string } {
  if (status === 'too long') {
    return { ...result, failed: result.failed + 1, reason: `was ended after ${String(suite.limit)} minutes` };
  }
  if (result.failed > 0) return result;
  if (status !== 0)
    return { ...result, failed: 1, reason: `ended with ${String(status)} although no test failed` };
  if (result.passed === 0) return { ...result, failed: 1, reason: 'ran no test' };
  return result;
}
