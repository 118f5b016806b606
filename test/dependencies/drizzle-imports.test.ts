import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { repository } from '../support/repository.ts';

/** Milliseconds until the service's modules are imported in a new process. */
function loadTime(...options: string[]): number {
  const load = `const start = performance.now();
    await import('./src/service/serve.ts');
    console.log(performance.now() - start);
    process.exit();`;
  const output = execFileSync(process.execPath, [...options, '--input-type=module', '--eval', load], {
    cwd: repository,
    encoding: 'utf8',
  });
  return Number(output);
}

test('the service loads in three quarters of its usual time if resolve-drizzle.ts resolves the imports of drizzle-orm', () => {
  const runs = Array.from({ length: 3 }, () => ({
    usual: loadTime(),
    resolved: loadTime('--import', './src/service/resolve-drizzle.ts'),
  }));
  const usual = Math.min(...runs.map((run) => run.usual));
  const resolved = Math.min(...runs.map((run) => run.resolved));
  assert.ok(resolved < 0.75 * usual, `${resolved} ms instead of ${usual} ms: is the hook still needed?`);
});
