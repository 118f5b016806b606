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
 * Runs the browser tests: all files, or those named as arguments; `--grep text` selects tests by title. With `--repeat`, a
 * failed file runs again, alone, since three engines and another suite share the machine. Tests that pass then are reported
 * as flaky. If many files fail, none runs again.
 */
const maxRepeatedFiles = 6;
const maxRepetitions = 2;
const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { grep: { type: 'string' }, repeat: { type: 'boolean' } },
});
const files =
  positionals.length > 0 ? positionals : globSync('test/browser/**/*.test.ts', { cwd: repository });
const engines = findEngines();
if (engines.length === 0) throw new Error('No supported browser is installed.');

const report = await run(engines, files);
const failed = [...report.failedFiles().values()].flat();
if (values.repeat && failed.length <= maxRepeatedFiles) {
  for (let repetition = 0; repetition < maxRepetitions; repetition++) {
    for (const [name, files] of report.failedFiles()) {
      console.log(`\nRunning again, ${name} alone: ${files.join(', ')}`);
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
