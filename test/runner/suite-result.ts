import { writeFileSync } from 'node:fs';

/** The result of a suite. */
export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: number;
  /** The failed tests, if the suite can run single files. */
  failedTests?: { file: string; title: string }[];
  /** Names of the tests that passed only when they ran again. */
  flaky?: string[];
}

/** Adds flaky tests to a result, which counts them as passed. In CI, they count as failed. */
export function withFlaky(result: SuiteResult, flaky: string[], isCi: boolean): SuiteResult {
  if (!isCi) return { ...result, flaky };
  return { ...result, flaky, passed: result.passed - flaky.length, failed: result.failed + flaky.length };
}

/** Whether this is a run in continuous integration (`CI=true`). */
export const isCi = process.env['CI'] === 'true';

/** The environment variable with the path of the file that a suite writes its result to. */
export const resultFileVariable = 'SUITE_RESULT_FILE';

/** Writes the result for the process that started this suite, if it has set the variable. */
export function writeSuiteResult(result: SuiteResult): void {
  const file = process.env[resultFileVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(result));
}
