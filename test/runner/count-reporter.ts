import type { TestEvent } from 'node:test/reporters';
import type { SuiteResult } from './suite-result.ts';

/** A reporter for node:test that writes only the counts of the whole run, as JSON. */
export default async function* countReporter(events: AsyncIterable<TestEvent>): AsyncIterable<string> {
  const failedTests: SuiteResult['failedTests'] = [];
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.file !== undefined)
      failedTests.push({ file: data.file, title: data.name });
    // Each file has its own summary; the last one, without a file, is that of the run.
    if (type !== 'test:summary' || data.file !== undefined) continue;
    const { tests, passed, skipped, todo } = data.counts;
    const result: SuiteResult = {
      passed,
      failed: tests - passed - skipped - todo,
      skipped: skipped + todo,
      failedTests,
    };
    // A failing hook fails its suite, which the counts do not include.
    if (!data.success && result.failed === 0) result.failed = 1;
    yield JSON.stringify(result);
  }
}
