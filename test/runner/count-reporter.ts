import type { TestEvent } from 'node:test/reporters';
import type { SuiteResult } from './suite-result.ts';

/** A reporter for node:test that writes the whole run's counts, as JSON, and nothing else. */
export default async function* countReporter(events: AsyncIterable<TestEvent>): AsyncIterable<string> {
  const red: SuiteResult['red'] = [];
  for await (const { type, data } of events) {
    if (type === 'test:fail' && data.file !== undefined) red.push({ file: data.file, title: data.name });
    // Each file has a summary of its own; the last one, without a file, is the run's.
    if (type !== 'test:summary' || data.file !== undefined) continue;
    const { tests, passed, skipped, todo } = data.counts;
    const result: SuiteResult = {
      passed,
      failed: tests - passed - skipped - todo,
      skipped: skipped + todo,
      red,
    };
    // A hook that fails fails its suite, which is not counted among the tests.
    if (!data.success && result.failed === 0) result.failed = 1;
    yield JSON.stringify(result);
  }
}
