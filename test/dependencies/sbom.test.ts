import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { bundledPackages, isOwn } from '../../sbom.ts';
import { repository } from '../support/repository.ts';
import { lockedPackages } from './lock-file.ts';

const read = (file: string) => readFileSync(join(repository, 'dist', file), 'utf8');

/** The packages that the scripts contain, according to the bundler. */
const shipped = ['licenses.md', 'npm/licenses.md'].flatMap((file) =>
  Array.from(read(file).matchAll(/^## (\S+) - (\d\S*) \(/gm), ([, name, version]) => `${name}@${version}`),
);

/** Every package, once, although it can be installed in several folders; and what is copied from another one. */
const needed = [
  ...new Set(
    lockedPackages()
      .filter(({ isShipped }) => isShipped)
      .map(({ name, version }) => `${name}@${version}`),
  ),
  'pdfjs-dist/cmaps@6.1.200',
].sort();

const npmVersion = execFileSync('npm', ['--version'], { cwd: repository, encoding: 'utf8' }).trim();
const [major = 0, minor = 0] = npmVersion.split('.').map(Number);
const canRun = major > 9 || (major === 9 && minor >= 9);

const reason = `npm ${npmVersion} has no command "sbom"`;
describe('the list of dependencies', { skip: canRun ? false : reason }, () => {
  it('is written by the build, and contains every package that is shipped or run, in CycloneDX format, with its license', () => {
    const bom = JSON.parse(read('sbom.cdx.json')) as {
      bomFormat: string;
      metadata: { component: { name: string } };
      components: { name: string; version: string; purl: string; licenses: unknown[] }[];
    };
    assert.equal(bom.bomFormat, 'CycloneDX');
    assert.equal(bom.metadata.component.name, 'voice-assistant-chat');
    const foreign = bom.components.filter(({ purl }) => !isOwn(purl));
    assert.deepEqual(foreign.map(({ name, version }) => `${name}@${version}`).sort(), needed);
    assert.deepEqual(
      foreign.filter(({ licenses }) => licenses.length === 0),
      [],
    );
    for (const name of ['lit', 'marked', 'eventsource-parser', 'hono', 'pg']) {
      assert.ok(
        foreign.some((component) => component.name === name),
        name,
      );
    }
  });

  it('exists as a table, too', () => {
    const rows = read('dependencies.md').matchAll(/^\| (\S+) \| (\d\S*) \| \S.* \|$/gm);
    assert.deepEqual(Array.from(rows, ([, name, version]) => `${name}@${version}`).sort(), needed);
  });
});

describe('npm run build', () => {
  it('says so if npm cannot list dependencies, and continues', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'npm-'));
    try {
      const script = '#!/bin/sh\necho "Unknown command: \\"sbom\\"" >&2\nexit 1\n';
      await writeFile(join(folder, 'npm'), script, { mode: 0o755 });
      const { status, stderr } = spawnSync(process.execPath, [join(repository, 'sbom.ts')], {
        cwd: folder,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${folder}:${process.env['PATH'] ?? ''}` },
      });
      assert.match(stderr, /dependencies are not listed: it needs npm 9\.9 or newer/);
      assert.equal(status, 0);
      assert.deepEqual(await readdir(folder), ['npm']);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('adds the license texts of the packages that the scripts contain', () => {
    assert.match(read('licenses.md'), /THE SOFTWARE IS PROVIDED/);
    const names = new Set(shipped.map((name) => name.replace(/(?<=.)@.*/, '')));
    assert.deepEqual([...names].sort(), [...bundledPackages, 'lit', 'lit-html'].sort());
  });
});
