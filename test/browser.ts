import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { startTestRunner } from '@web/test-runner';
import { BrowserReport } from './runner/browser-report.ts';
import { writeSuiteResult } from './runner/suite-result.ts';
import { findEngines } from './support/browser/browsers.ts';
import type { Engine } from './support/browser/browsers.ts';
import { repository } from './support/repository.ts';
import { setUpBrowserTests } from './web-test-runner.config.ts';

/*
 * Runs the browser tests: all, or those whose files are named as arguments; with `--grep text` only those whose title
 * has the text. When all run, three engines and another suite share the machine, so a file that fails runs again,
 * alone: tests that pass then count as passed and are printed as flaky. If many files fail, none runs again.
 */
const mostToRepeat = 6;
const chances = 2;
const { positionals, values } = parseArgs({ allowPositionals: true, options: { grep: { type: 'string' } } });
const files =
  positionals.length > 0 ? positionals : globSync('test/browser/**/*.test.ts', { cwd: repository });
const engines = findEngines();
if (engines.length === 0) throw new Error('No browser is installed that the tests could run in.');

const report = await run(engines, files);
const failed = [...report.red().values()].flat();
if (positionals.length === 0 && failed.length <= mostToRepeat) {
  for (let chance = 0; chance < chances; chance++) {
    for (const [name, files] of report.red()) {
      console.log(`\nOnce more, ${name} alone: ${files.join(', ')}`);
      const engine = engines.filter((each) => each.name === name);
      report.replaceBy(await run(engine, files));
    }
  }
}
const result = report.result();
writeSuiteResult(result);
process.exitCode = result.failed > 0 || result.passed === 0 ? 1 : 0;

async function run(engines: readonly Engine[], files: readonly string[]): Promise<BrowserReport> {
  const setup = await setUpBrowserTests(engines, files, values.grep);
  try {
    const report = new BrowserReport(repository, values.grep);
    const runner = await startTestRunner({
      config: { ...setup.config, reporters: [report.reporter], filterBrowserLogs: report.keepLog },
      readCliArgs: false,
      readFileConfig: false,
      autoExitProcess: false,
    });
    if (!runner) throw new Error('Web Test Runner did not start.');
    await new Promise((resolve) => {
      runner.on('stopped', resolve);
      runner.on('finished', () => void runner.stop());
    });
    return report;
  } finally {
    await setup.stop();
  }
}
