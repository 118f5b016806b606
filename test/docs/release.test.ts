import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from '../support/repository.ts';
import { packageJson } from './package-json.ts';

const read = (path: string) => readFileSync(join(repository, path), 'utf8');

describe('the release configuration', () => {
  it('starts from the version of the package', () => {
    assert.deepEqual(JSON.parse(read('.github/release-please-manifest.json')), { '.': packageJson.version });
  });

  it('names files and fields that exist', () => {
    const { packages } = JSON.parse(read('.github/release-please-config.json')) as {
      packages: Record<string, { 'package-name': string; 'extra-files': { path: string }[] }>;
    };
    assert.equal(packages['.']?.['package-name'], packageJson.name);
    for (const { path } of packages['.']['extra-files']) {
      assert.equal((JSON.parse(read(path)) as { version: string }).version, packageJson.version);
    }
  });
});

describe('the hosted workflows', () => {
  it('run the same checks as `.ci/run`', () => {
    const workflows = globSync('.github/workflows/*.yml', { cwd: repository });
    assert.equal(workflows.length, 2);
    for (const workflow of workflows) assert.match(read(workflow), /^ +- run: \.ci\/run$/m);
  });
});
