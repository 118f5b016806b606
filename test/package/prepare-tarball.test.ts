import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { repository } from '../support/repository.ts';

const script = 'src/package/prepare-tarball.ts';
const sources = {
  'package.json': '{ "type": "module", "version": "1.0.0", "scripts": { "test": "true" } }',
  'README.md': 'See [contributing](CONTRIBUTING.md).',
  'CHANGELOG.md': 'Nothing yet.',
};

describe('the files that are packed', () => {
  let folder: string;
  const read = (file: string) => readFileSync(join(folder, file), 'utf8');
  const write = (file: string, text: string) => {
    writeFileSync(join(folder, file), text);
  };
  const run = (...args: string[]) => execFileSync(process.execPath, [join(folder, script), ...args]);

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'prepare-'));
    mkdirSync(join(folder, 'src/package'), { recursive: true });
    cpSync(join(repository, script), join(folder, script));
    mkdirSync(join(folder, 'dist/npm'), { recursive: true });
    write('dist/npm/element.js', '');
    for (const [file, text] of Object.entries(sources)) write(file, text);
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  const assertRestored = (changed: Partial<typeof sources> = {}) => {
    for (const [file, text] of Object.entries({ ...sources, ...changed })) assert.equal(read(file), text);
  };

  it('have their own text again afterwards', () => {
    run();
    assert.deepEqual(JSON.parse(read('package.json')), { type: 'module', version: '1.0.0' });
    assert.equal(read('README.md'), 'See contributing.');
    run('--restore');
    assertRestored();
  });

  it('are not packed, and stay as they are, if the package is not built', () => {
    rmSync(join(folder, 'dist'), { recursive: true });
    assert.throws(() => run(), /Run "npm run build" first/);
    assertRestored();
  });

  it('have their own text again if packing was interrupted once', () => {
    run();
    run();
    run('--restore');
    assertRestored();
  });

  it('keep what was changed after packing was interrupted', () => {
    run();
    const newer = { 'package.json': sources['package.json'].replace('1.0.0', '1.1.0') };
    write('package.json', newer['package.json']);
    run();
    assert.deepEqual(JSON.parse(read('package.json')), { type: 'module', version: '1.1.0' });
    run('--restore');
    assertRestored(newer);
  });
});
