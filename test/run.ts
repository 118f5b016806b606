import { stripVTControlCharacters } from 'node:util';
import { meetRequirements } from './runner/requirements.ts';
import type { SuiteOutcome } from './runner/run-suite.ts';
import { schedule } from './runner/schedule.ts';
import { runFailedAgain } from './runner/run-again.ts';
import { goesBy, selectSuites } from './runner/suites.ts';
import { findEngines } from './support/browser/browsers.ts';

/*
 * `npm test` runs what takes about ten minutes on two cores, each test once: in one browser, on the embedded database.
 * `npm test -- ci` adds what must pass before a change is merged, in all browsers and on both databases; `npm test -- all`
 * runs everything; `npm test -- browser e2e` runs suites by name.
 * `TEST_ENGINES=chromium,firefox` limits the browsers; with `REQUIRE_ALL=1`, a missing browser or database is a failure.
 * The last line of the output is `N passed, N failed`.
 */
const names = process.argv.slice(2);
// Without a browser, this one is installed.
if (names.length === 0) process.env['TEST_ENGINES'] ??= findEngines()[0]?.name ?? 'chromium';
const requireAll = process.env['REQUIRE_ALL'] === '1';
const { suites, requirements } = prepare();
const { engines, missingEngines, postgres, pgbouncer, advice } = requirements;
const databases = postgres && names.length > 0 ? ['pglite', 'postgres'] : ['pglite'];
// `npm test` alone uses no PgBouncer.
for (const sentence of advice)
  if (names.length > 0 || !sentence.startsWith('PgBouncer')) console.log(sentence);
console.log(`Browsers: ${engines.join(', ') || 'none'}. Databases: ${databases.join(', ')}.\n`);

const needsBrowser = [
  'browser',
  'browser-calls',
  'e2e',
  'pages',
  'appearance',
  'size',
  'leak',
  'examples',
  'voice',
];
const runnable = suites.filter(
  (suite) =>
    (engines.length > 0 || !needsBrowser.some((group) => goesBy(suite, group))) &&
    (postgres || suite.env?.['TEST_DATABASE'] !== 'postgres') &&
    (pgbouncer || suite.env?.['TEST_POOLER'] === undefined),
);
// In one browser, the browser tests mostly wait. In three, they keep a core busy.
const suitesAtOnce = engines.length > 1 ? 2 : 3;
const outcomes = await schedule(runnable, suitesAtOnce, async (suite) => {
  const outcome = await runFailedAgain(suite);
  report(outcome);
  return outcome;
});

let passed = 0;
let failed = 0;
let skipped = 0;
for (const outcome of outcomes) {
  passed += outcome.passed;
  failed += outcome.failed;
  skipped += outcome.skipped;
}
for (const suite of suites.filter((suite) => !runnable.includes(suite))) {
  console.log(`--   ${suite.name} could not run: a browser, database or pooler is missing (see above)`);
  // One of the two databases is enough, unless all are required.
  if (requireAll || suite.env?.['TEST_DATABASE'] !== 'postgres') failed++;
}
if (requireAll && engines.length > 0) failed += missingEngines.length;

const failedSuites = outcomes.filter((outcome) => outcome.failed > 0).map(({ suite }) => suite.name);
console.log(
  `\nBrowsers: ${engines.join(', ') || 'none'}${missingEngines.length > 0 ? ` (missing: ${missingEngines.join(', ')})` : ''}.`,
);
console.log(`Databases: ${databases.join(', ')}.`);
if (skipped > 0) console.log(`${String(skipped)} skipped.`);
if (failedSuites.length > 0) console.log(`Failed: ${failedSuites.join(', ')}.`);
for (const name of outcomes.flatMap(({ flaky = [] }) => flaky)) {
  console.log(`Passed only when run again: ${name}`);
}
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
console.log(`${String(passed)} passed, ${String(failed)} failed`);

/** Reads the command line. Reports errors in it without a stack trace. */
function prepare() {
  try {
    return { suites: selectSuites(names), requirements: meetRequirements(requireAll) };
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exit(1);
  }
}

/** Prints one line for a passed suite, and the whole output of a failed one. */
function report({ suite, passed, failed, skipped, seconds, reason, output }: SuiteOutcome): void {
  const counts = `${String(passed)} passed, ${String(failed)} failed${skipped > 0 ? `, ${String(skipped)} skipped` : ''}`;
  const cause = reason === undefined ? '' : `; it ${reason}`;
  const text = stripVTControlCharacters(output);
  if (failed > 0) console.log(`\n${text.trim()}`);
  console.log(`${failed > 0 ? 'FAIL' : 'ok  '} ${suite.name}: ${counts} (${seconds.toFixed(0)} s)${cause}`);
  // Prints the skipped and flaky tests, as node:test and Web Test Runner mark them.
  if (failed === 0)
    for (const line of text.match(/^ *(?:﹣|skip|flaky) .*/gm) ?? []) console.log(`     ${line.trim()}`);
}
