import { relative } from 'node:path';
import type { Reporter, TestSession, TestSuiteResult } from '@web/test-runner-core';
import type { EngineName } from '../support/browser/browsers.ts';
import { isCi, withFlaky } from './suite-result.ts';
import type { SuiteResult } from './suite-result.ts';

interface Failure {
  title: string;
  message: string | undefined;
  stack?: string | undefined;
}

interface Tally {
  engine: EngineName;
  file: string;
  passed: number;
  skipped: string[];
  failures: Failure[];
  milliseconds: number;
}

/** The title of failures that belong to no test. */
const fileItself = '(the file itself)';

/** How Web Test Runner reports a browser that crashed or never began. */
const isLossOfBrowser =
  /^(Browser tests did not start|Tests were interrupted because the browser disconnected)/;

type Log = { type: string; args: unknown[] };

/** Prints and counts Web Test Runner's results: one line per file and engine if all pass. */
export class BrowserReport {
  readonly #folder: string;
  readonly #grep: string;
  readonly #tallies = new Map<string, Tally>();
  readonly #consoleErrors = new WeakSet<unknown[]>();
  readonly #flaky = new Set<string>();

  constructor(folder: string, grep = '') {
    this.#folder = folder;
    this.#grep = grep;
  }

  readonly reporter: Reporter = {
    reportTestFileResults: ({ sessionsForTestFile }) => {
      for (const session of sessionsForTestFile) this.#addSession(session);
    },
  };

  /** Collects a page's console output. Logged and uncaught errors fail the file that caused them. */
  readonly keepLog = ({ type, args }: Log): boolean => {
    if (type === 'error') this.#consoleErrors.add(args);
    return true;
  };

  result(): SuiteResult {
    const result: SuiteResult = { passed: 0, failed: 0, skipped: 0 };
    for (const { passed, failures, skipped } of this.#tallies.values()) {
      result.passed += passed;
      result.failed += failures.length;
      result.skipped += skipped.length;
    }
    return withFlaky(result, [...this.#flaky], isCi);
  }

  /** The failed files, by engine. */
  failedFiles(): Map<EngineName, string[]> {
    const failed = new Map<EngineName, string[]>();
    for (const { engine, file, failures } of this.#tallies.values()) {
      if (failures.length > 0) failed.set(engine, [...(failed.get(engine) ?? []), file]);
    }
    return failed;
  }

  /**
   * Replaces the results of files that ran again. Tests that failed before and pass now are flaky. A file whose browser
   * ended or did not start its tests is not: no test has failed.
   */
  replaceBy(later: BrowserReport): void {
    for (const [key, tally] of later.#tallies) {
      const failedAgain = new Set(tally.failures.map(({ title }) => title));
      for (const { title, message = '' } of this.#tallies.get(key)?.failures ?? []) {
        if (failedAgain.has(title) || isLossOfBrowser.test(message)) continue;
        const [reason = ''] = message.split('\n', 1);
        const name = `${tally.engine} ${tally.file}: ${title}: ${reason}`;
        this.#flaky.add(name);
        console.log(`flaky ${name}`);
      }
      this.#tallies.set(key, tally);
    }
  }

  #addSession(session: TestSession): void {
    const tally = this.#judge(session);
    const { engine, file, failures, skipped, passed, milliseconds } = tally;
    this.#tallies.set(`${engine} ${file}`, tally);
    const seconds = (milliseconds / 1000).toFixed(1);
    const counts = `${String(passed)} passed, ${String(failures.length)} failed (${seconds} s)`;
    const also = skipped.length > 0 ? `, ${String(skipped.length)} skipped` : '';
    console.log(`${failures.length > 0 ? 'FAIL' : 'ok  '} ${engine} ${file}: ${counts}${also}`);
    for (const title of skipped) console.log(`skip ${engine} ${title}`);
    if (failures.length > 0) explain(session);
    for (const { title, message, stack } of failures) {
      console.log(`     ${title}\n${indent(message)}${stack === undefined ? '' : `\n${indent(stack)}`}`);
    }
  }

  #judge(session: TestSession): Tally {
    const failures: Failure[] = [];
    const file = relative(this.#folder, session.testFile);
    const tally: Tally = {
      engine: engineName(session),
      file,
      passed: 0,
      skipped: [],
      failures,
      milliseconds: 0,
    };
    if (session.testResults) addTests(tally, session.testResults, this.#grep);
    for (const error of session.errors) failures.push({ title: fileItself, ...error });
    for (const args of session.logs.filter((log) => this.#consoleErrors.has(log))) {
      failures.push({ title: '(console error)', message: args.map(String).join(' ') });
    }
    // Web Test Runner does not report a file with filtered tests as passed.
    if (session.passed !== true && failures.length === 0 && this.#grep === '') {
      failures.push({ title: fileItself, message: undefined });
    }
    return tally;
  }
}

/** Prints the other errors of a failed file: missing files, and console output. */
function explain({ request404s, logs }: TestSession): void {
  for (const path of request404s) console.log(`     not found: ${path}`);
  for (const args of logs) console.log(indent(`page: ${args.map(String).join(' ')}`).slice(2));
}

/** Adds a suite's tests to a tally, nested suites included. Tests whose title lacks `grep` did not run. */
function addTests(tally: Tally, suite: TestSuiteResult, grep: string, path: readonly string[] = []): void {
  for (const test of suite.tests) {
    const names = [...path, test.name];
    const title = names.join(' > ');
    if (!names.join(' ').includes(grep)) continue;
    tally.milliseconds += test.duration ?? 0;
    if (test.skipped) tally.skipped.push(title);
    else if (test.passed) tally.passed++;
    else tally.failures.push({ title, message: test.error?.message, stack: test.error?.stack });
  }
  for (const inner of suite.suites) addTests(tally, inner, grep, [...path, inner.name]);
}

/** The engine's name. WebKit is recognized by its launcher. */
function engineName({ browser }: TestSession): EngineName {
  return browser.type === 'webdriver' ? 'webkit' : (browser.name.toLowerCase() as EngineName);
}

const indent = (text = 'The test failed without an error message.') => text.replace(/^/gm, '       ');
