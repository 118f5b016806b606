import { writeFileSync } from 'node:fs';

/** What a suite did. */
export interface SuiteResult {
  passed: number;
  failed: number;
  skipped: number;
  /** The tests that failed, where the suite can run some of its files alone. */
  red?: { file: string; title: string }[];
}

/** Names the file in which a suite's process leaves its result for the process that started it. */
export const resultFileVariable = 'SUITE_RESULT_FILE';

/** Leaves the result for the process that started this suite, if one asked for it. */
export function writeSuiteResult(result: SuiteResult): void {
  const file = process.env[resultFileVariable];
  if (file !== undefined) writeFileSync(file, JSON.stringify(result));
}
