import { writeFileSync } from 'node:fs';

/** The result of a suite. */
export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: number;
  /** The tests that failed, where the suite can run some of its files alone. */
  red?: { file: string; title: string }[];
  /** Names of the tests that passed only at a second try. */
  flaky?: string[];
}

/** A test that passes only at a second try counts as passed locally and as failed in CI. */
export function withFlaky(result: SuiteResult, flaky: string[], isCi: boolean): SuiteResult {
  if (!isCi) return { ...result, flaky };
  return { ...result, flaky, passed: result.passed - flaky.length, failed: result.failed + flaky.length };
}

/** Whether this is a run in continuous integration (`CI=true`). */
export const isCi = process.env['CI'] === 'true';

/** The variable with the file that a suite's process writes its result to. */
export const resultFileVariable = 'SUITE_RESULT_FILE';

/** Writes the result for the process that started this suite, if it has asked for it. */
export function writeSuiteResult(result: SuiteResult): void {
  const file = process.env[resultFileVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(result));
}
