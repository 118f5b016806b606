import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it, mock } from 'node:test';
import type { TestSession } from '@web/test-runner-core';
import { BrowserReport } from './browser-report.ts';

/** A report on one file that passed, or that failed with an error of its own. */
function reportOn(error?: string): BrowserReport {
  const report = new BrowserReport('/project');
  const session = {
    testFile: '/project/test/browser/errors.test.ts',
    browser: { type: 'webdriver', name: 'WebKit' },
    passed: error === undefined,
    errors: error === undefined ? [] : [{ message: error }],
    logs: [],
    request404s: [],
  } as unknown as TestSession;
  report.reporter.reportTestFileResults?.({
    logger: console,
    sessionsForTestFile: [session],
    testFile: session.testFile,
  } as unknown as Parameters<NonNullable<BrowserReport['reporter']['reportTestFileResults']>>[0]);
  return report;
}

function flakyAfter(error: string): string[] | undefined {
  const report = reportOn(error);
  report.replaceBy(reportOn());
  return report.result().flaky;
}

describe('the report of the browser tests', () => {
  // What it prints would look like a failure of this run.
  beforeEach(() => {
    mock.method(console, 'log', () => undefined);
  });
  afterEach(() => {
    mock.restoreAll();
  });

  it('names the reason why a test passes only when run again', () => {
    assert.deepEqual(flakyAfter('Timeout of 120000ms exceeded.\nIn a hook.'), [
      'webkit test/browser/errors.test.ts: (the file itself): Timeout of 120000ms exceeded.',
    ]);
  });

  it('does not call a file flaky whose browser crashed', () => {
    assert.deepEqual(flakyAfter('Tests were interrupted because the browser disconnected.'), []);
  });

  it('fails if the browser crashes again', () => {
    const report = reportOn('Tests were interrupted because the browser disconnected.');
    report.replaceBy(reportOn('Tests were interrupted because the browser disconnected.'));
    assert.equal(report.result().failed, 1);
  });
});
