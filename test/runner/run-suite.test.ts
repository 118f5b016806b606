import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { repository } from '../support/repository.ts';
import { judge, runSuite } from './run-suite.ts';
import { runFailedAgain } from './run-again.ts';
import { nodeTests, selectSuites } from './suites.ts';
import type { Suite } from './suites.ts';

const suiteOf = (counts: Suite['counts'], ...run: string[]): Suite => ({
  name: 'sample',
  run,
  counts,
  limit: 1,
});
const evaluate = (code: string) => [process.execPath, '--eval', code];

describe('running a suite', () => {
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'suite-test-'));
  });
  after(() => rm(folder, { recursive: true }));

  it('counts the tests of node:test by their outcome', async () => {
    const file = join(folder, 'mixed.test.mjs');
    await writeFile(
      file,
      `import { after, describe, it } from 'node:test';
       it('passes', () => {});
       it('passes too', () => {});
       it('fails', () => { throw new Error('the reason'); });
       it.skip('waits', () => {});`,
    );
    const outcome = await runSuite(suiteOf('tests', ...nodeTests([file])));
    assert.deepEqual([outcome.passed, outcome.failed, outcome.skipped], [2, 1, 1]);
    assert.match(outcome.output, /the reason/);
  });

  it('runs failed files again, and reports tests that pass then as flaky, which fail in CI', async () => {
    const marker = join(folder, 'was-here');
    const file = join(folder, 'unsteady.test.mjs');
    await writeFile(
      file,
      `import { existsSync, writeFileSync } from 'node:fs';
       import { it } from 'node:test';
       it('passes', () => {});
       it('passes later', () => {
         if (existsSync(${JSON.stringify(marker)})) return;
         writeFileSync(${JSON.stringify(marker)}, '');
         throw new Error('too early');
       });`,
    );
    const suite = { ...suiteOf('tests', ...nodeTests([file])), again: nodeTests };
    const locally = await runFailedAgain(suite, runSuite, false);
    assert.deepEqual([locally.passed, locally.failed, locally.skipped], [2, 0, 0]);
    assert.match(locally.output, /^flaky .*unsteady.test.mjs: passes later$/m);
    await rm(marker);
    const inCi = await runFailedAgain(suite, runSuite, true);
    assert.deepEqual([inCi.passed, inCi.failed, inCi.skipped], [1, 1, 0]);
    assert.match(inCi.flaky?.join() ?? '', /unsteady.test.mjs: passes later$/);
    await writeFile(
      file,
      `import { it } from 'node:test'; it('never passes', () => { throw new Error('no'); });`,
    );
    assert.equal((await runFailedAgain(suite)).failed, 1);
  });

  it('fails when a hook fails even if all tests pass', async () => {
    const file = join(folder, 'hook.test.mjs');
    await writeFile(
      file,
      `import { after, describe, it } from 'node:test';
       describe('a suite', () => { after(() => { throw new Error('left a mess'); }); it('passes', () => {}); });`,
    );
    const outcome = await runSuite(suiteOf('tests', ...nodeTests([file])));
    assert.deepEqual([outcome.passed, outcome.failed], [1, 1]);
  });

  it('fails when a file cannot be loaded', async () => {
    const file = join(folder, 'broken.test.mjs');
    await writeFile(file, `import './absent.mjs';`);
    assert.equal((await runSuite(suiteOf('tests', ...nodeTests([file])))).failed, 1);
  });

  it('uses the exit code of a check', async () => {
    assert.equal((await runSuite(suiteOf('check', ...evaluate('')))).passed, 1);
    assert.equal((await runSuite(suiteOf('check', ...evaluate('process.exit(2)')))).failed, 1);
  });

  it('fails when the program does not exist', async () => {
    const outcome = await runSuite(suiteOf('check', join(folder, 'absent')));
    assert.equal(outcome.failed, 1);
    assert.match(outcome.output, /ENOENT/);
  });

  it('fails when tests end without counts', async () => {
    const outcome = await runSuite(suiteOf('tests', ...evaluate('')));
    assert.deepEqual([outcome.failed, outcome.reason], [1, 'ran no test']);
  });

  it('ends a suite that hangs', async () => {
    const hanging = { ...suiteOf('check', ...evaluate('setInterval(() => {}, 1000)')), limit: 0 };
    const outcome = await runSuite(hanging);
    assert.deepEqual([outcome.failed, outcome.reason], [1, 'was ended after 0 minutes']);
  });
});

describe('judging a suite', () => {
  const suite = suiteOf('tests');

  it('uses its counts if it exits with 0', () => {
    const counts = { passed: 3, failed: 0, skipped: 1 };
    assert.deepEqual(judge(suite, 0, counts), counts);
  });

  it('fails it if it exits with another code', () => {
    assert.equal(judge(suite, 1, { passed: 3, failed: 0, skipped: 0 }).failed, 1);
    assert.equal(judge(suite, 'SIGKILL', { passed: 3, failed: 0, skipped: 0 }).failed, 1);
  });

  it('does not count skipped tests as passed', () => {
    assert.equal(judge(suite, 0, { passed: 0, failed: 0, skipped: 5 }).failed, 1);
  });
});

describe('selecting suites', () => {
  const names = (...selected: string[]) => selectSuites(selected, false).map(({ name }) => name);

  it('selects the quick suites, all, a group, or one suite', () => {
    const [quick, ci, all] = [names(), names('ci'), names('all')];
    const parts = ['service:pglite:1', 'service:pglite:2', 'service:pglite:timers'];
    const service = [...parts, 'service:pglite:long'];
    assert.ok(quick.length > 5 && quick.every((name) => ci.includes(name)));
    assert.ok(ci.length > quick.length && ci.every((name) => all.includes(name)));
    assert.ok(ci.includes('service:postgres') && !ci.includes('processes:postgres'));
    assert.deepEqual(
      quick.filter((name) => name.startsWith('service')),
      parts,
    );
    assert.ok(all.includes('processes:postgres') && !all.includes('telephone'));
    assert.deepEqual(names('telephone'), ['telephone']);
    assert.deepEqual(names('service'), [...service, 'service:postgres', 'service:postgres:timers']);
    assert.deepEqual(names('e2e', 'service:pglite'), ['e2e', ...service]);
    assert.deepEqual(names('service:pglite:2'), ['service:pglite:2']);
  });

  it('gives tests that mock timers a process each', () => {
    const inOneProcess = selectSuites(['all'], false).filter(({ run }) =>
      run.includes('--test-isolation=none'),
    );
    const mocking = inOneProcess
      .flatMap(({ run }) => run.filter((argument) => argument.startsWith('test/')))
      .filter((file) => /timers\.(?:enable|tick)\b/.test(readFileSync(join(repository, file), 'utf8')));
    // They mock `Date` alone, which is harmless.
    assert.deepEqual(
      [...new Set(mocking)],
      ['test/service/function-calling.test.ts', 'test/service/lead-outcomes.test.ts'],
    );
  });

  it('leaves out no test file', () => {
    const everySuite = ['all', 'faults', 'telephone', 'systemd', 'compose'];
    const run = new Set(selectSuites(everySuite, false).flatMap((suite) => suite.run));
    const files = globSync('test/**/*.{test,spec}.ts', { cwd: repository });
    assert.deepEqual(
      files.filter((file) => !run.has(file)),
      [],
    );
  });

  it('adds the build if a suite needs it and there is no current one', () => {
    const namesWithoutBuild = (...selected: string[]) => selectSuites(selected, true).map(({ name }) => name);
    assert.deepEqual(namesWithoutBuild('e2e'), ['build', 'e2e']);
    assert.deepEqual(namesWithoutBuild('lint'), ['lint:sources', 'lint:rest', 'lint:format']);
  });

  it('rejects an unknown name', () => {
    assert.throws(() => names('brwser'), /no suite "brwser". There are build, e2e/);
  });
});
