import { relative } from 'node:path';
import type { Reporter, TestSession, TestSuiteResult } from '@web/test-runner-core';
import type { SuiteResult } from './suite-result.ts';

interface Failure {
  title: string;
  message: string | undefined;
  stack?: string | undefined;
}

type Log = { type: string; args: unknown[] };

/** Prints what Web Test Runner finds, one line a file and engine when green, and counts it. */
export class BrowserReport {
  readonly #folder: string;
  readonly #grep: string;
  readonly #count: SuiteResult = { passed: 0, failed: 0, skipped: 0 };
  readonly #consoleErrors = new WeakSet<unknown[]>();

  constructor(folder: string, grep = '') {
    this.#folder = folder;
    this.#grep = grep;
  }

  readonly reporter: Reporter = {
    reportTestFileResults: ({ sessionsForTestFile }) => {
      for (const session of sessionsForTestFile) this.#addSession(session);
    },
  };

  /** Notes what a page wrote to its console. Errors there, also uncaught ones, fail the file that caused them. */
  readonly keepLog = ({ type, args }: Log): boolean => {
    if (type === 'error') this.#consoleErrors.add(args);
    return true;
  };

  result(): SuiteResult {
    return { ...this.#count };
  }

  #addSession(session: TestSession): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    const failures: Failure[] = [];
    if (session.testResults) countTests(session.testResults, [], this.#grep, count, failures);
    for (const error of session.errors) failures.push({ title: '(the file itself)', ...error });
    for (const args of session.logs.filter((log) => this.#consoleErrors.has(log))) {
      failures.push({ title: '(console error)', message: args.map(String).join(' ') });
    }
    if (session.passed !== true && failures.length === 0 && this.#grep === '') {
      failures.push({ title: '(the file itself)', message: undefined });
    }
    count.failed = failures.length;

    const file = relative(this.#folder, session.testFile);
    const skipped = count.skipped > 0 ? `, ${String(count.skipped)} skipped` : '';
    const engine = engineName(session);
    console.log(
      `${count.failed > 0 ? 'FAIL' : 'ok  '} ${engine} ${file}: ${String(count.passed)} passed, ${String(count.failed)} failed${skipped}`,
    );
    if (failures.length > 0) explain(session);
    for (const { title, message, stack } of failures) {
      console.log(`     ${title}\n${indent(message)}${stack === undefined ? '' : `\n${indent(stack)}`}`);
    }
    this.#count.passed += count.passed;
    this.#count.failed += count.failed;
    this.#count.skipped += count.skipped;
  }
}

/** Prints what else there is to know of a red file: what was not found, and what the page wrote. */
function explain({ request404s, logs }: TestSession): void {
  for (const path of request404s) console.log(`     not found: ${path}`);
  for (const args of logs) console.log(indent(`page: ${args.map(String).join(' ')}`).slice(2));
}

/** Counts a suite's tests, those within it included. Tests whose title lacks `grep` did not run. */
function countTests(
  suite: TestSuiteResult,
  path: readonly string[],
  grep: string,
  count: SuiteResult,
  failures: Failure[],
): void {
  for (const test of suite.tests) {
    const title = [...path, test.name];
    if (test.skipped || !title.join(' ').includes(grep)) count.skipped++;
    else if (test.passed) count.passed++;
    else failures.push({ title: title.join(' > '), message: test.error?.message, stack: test.error?.stack });
  }
  for (const inner of suite.suites) countTests(inner, [...path, inner.name], grep, count, failures);
}

/** The same names as everywhere else; the launcher for WebKit calls itself by its program. */
function engineName({ browser }: TestSession): string {
  return browser.type === 'webdriver' ? 'webkit' : browser.name.toLowerCase();
}

const indent = (text = 'It failed without saying why.') => text.replace(/^/gm, '       ');
