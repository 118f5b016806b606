import { writeFileSync } from 'node:fs';

/** What a suite did. */
export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: number;
  /** The tests that failed, where the suite can run some of its files alone. */
  red?: { file: string; title: string }[];
  /** Names of the tests that passed only at a second try. */
  flaky?: string[];
}

/** For people a second try may pass; in CI a test that needed one has failed. */
export function withFlaky(result: SuiteResult, flaky: string[], isCi: boolean): SuiteResult {
  if (!isCi) return { ...result, flaky };
  return { ...result, flaky, passed: result.passed - flaky.length, failed: result.failed + flaky.length };
}

/** Whether the run is one of continuous integration (`CI=true`). */
export const isCi = process.env['CI'] === 'true';

/** Names the file in which a suite's process leaves its result for the process that started it. */
export const resultFileVariable = 'SUITE_RESULT_FILE';

/** Leaves the result for the process that started this suite, if one asked for it. */
export function writeSuiteResult(result: SuiteResult): void {
  const file = process.env[resultFileVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(result));
}
