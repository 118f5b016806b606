import { relative } from 'node:path';
import type { Reporter, TestSession, TestSuiteResult } from '@web/test-runner-core';
import type { SuiteResult } from './suite-result.ts';

interface Failure {
  title: string;
  message: string;
  stack?: string | undefined;
}

type Log = { type: string; args: unknown[] };

/** Prints what Web Test Runner finds, one line a file and engine when green, and counts it. */
export class BrowserReport {
  readonly #folder: string;
  readonly #count: SuiteResult = { passed: 0, failed: 0, skipped: 0 };
  readonly #consoleErrors = new Map<string, string[]>();

  constructor(folder: string) {
    this.#folder = folder;
  }

  readonly reporter: Reporter = {
    reportTestFileResults: ({ sessionsForTestFile }) => {
      for (const session of sessionsForTestFile) this.#addSession(session);
    },
  };

  /** Notes what a page wrote to its console. Errors there, also uncaught ones, fail the file that caused them. */
  readonly keepLog = (log: Log, session?: Partial<TestSession>): boolean => {
    if (log.type === 'error' && session?.id !== undefined) {
      const errors = this.#consoleErrors.get(session.id) ?? [];
      this.#consoleErrors.set(session.id, [...errors, log.args.map(String).join(' ')]);
    }
    return true;
  };

  result(): SuiteResult {
    return { ...this.#count };
  }

  #addSession(session: TestSession): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const failures: Failure[] = [];
    if (session.testResults) countTests(session.testResults, '', count, failures);
    for (const error of session.errors) failures.push({ title: '(the file itself)', ...error });
    for (const message of this.#consoleErrors.get(session.id) ?? [])
      failures.push({ title: '(console error)', message });
    if (session.passed !== true && failures.length === 0) {
      failures.push({ title: '(the file itself)', message: 'It failed without saying why.' });
    }
    count.failed = failures.length;

    const file = relative(this.#folder, session.testFile);
    const skipped = count.skipped > 0 ? `, ${String(count.skipped)} skipped` : '';
    const engine = engineName(session);
    console.log(
      `${count.failed > 0 ? 'FAIL' : 'ok  '} ${engine} ${file}: ${String(count.passed)} passed, ${String(count.failed)} failed${skipped}`,
    );
    for (const { title, message, stack } of failures) {
      console.log(`     ${title}\n${indent(message)}${stack === undefined ? '' : `\n${indent(stack)}`}`);
    }
    this.#count.passed += count.passed;
    this.#count.failed += count.failed;
    this.#count.skipped += count.skipped;
  }
}

function countTests(suite: TestSuiteResult, path: string, count: SuiteResult, failures: Failure[]): void {
  for (const test of suite.tests) {
    if (test.skipped) count.skipped++;
    else if (test.passed) count.passed++;
    else {
      const { message = 'It failed without saying why.', stack } = test.error ?? {};
      failures.push({ title: `${path}${test.name}`, message, stack });
    }
  }
  for (const inner of suite.suites) countTests(inner, `${path}${inner.name} > `, count, failures);
}

/** The same names as everywhere else; the launcher for WebKit calls itself by its program. */
function engineName({ browser }: TestSession): string {
  return browser.type === 'webdriver' ? 'webkit' : browser.name.toLowerCase();
}

const indent = (text: string) => text.replace(/^/gm, '       ');
