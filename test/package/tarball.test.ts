import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { packPackage, type Tarball } from './pack-package.ts';

describe('the packed package', () => {
  let tarball: Tarball;
  before(async () => {
    tarball = await packPackage();
  });
  after(() => tarball.remove());

  const read = (path: string) => readFileSync(join(tarball.folder, path), 'utf8');
  const manifest = () => JSON.parse(read('package.json')) as Record<string, unknown>;

  it('has a package.json without the fields of the repository, and depends on lit alone', () => {
    const { dependencies, peerDependencies, ...rest } = manifest();
    for (const name of ['workspaces', 'overrides', 'devDependencies', 'scripts'])
      assert.ok(!(name in rest), name);
    assert.deepEqual(Object.keys(dependencies as object), ['lit']);
    assert.deepEqual(Object.keys(peerDependencies as object), ['react']);
  });

  it('names files that exist for CDNs and editors', () => {
    for (const field of ['unpkg', 'jsdelivr', 'customElements', 'web-types']) {
      const path = manifest()[field];
      assert.ok(typeof path === 'string' && tarball.files.includes(path.replace('./', '')), field);
    }
  });

  it('contains no declarations besides those that the entry points need', () => {
    const needed = new Set<string>();
    const follow = (path: string): void => {
      if (needed.has(path)) return;
      needed.add(path);
      for (const [, other = ''] of read(path).matchAll(/(?:from|path=|import\()\s*["'](\.[^"']+)["']/g))
        follow(posix.join(dirname(path), other.replace(/\.js$/, '.d.ts')));
    };
    for (const target of Object.values(manifest()['exports'] as Record<string, { types: string } | string>))
      if (typeof target === 'object') follow(target.types.replace('./', ''));
    assert.deepEqual(tarball.files.filter((path) => path.endsWith('.d.ts')).sort(), [...needed].sort());
  });

  it('has only links to files that it contains', () => {
    for (const path of tarball.files.filter((file) => file.endsWith('.md'))) {
      const links = Array.from(read(path).matchAll(/\]\((?![a-z]+:|#)([^)#]+)/g), ([, link = '']) => link);
      assert.deepEqual(
        links.filter((link) => !tarball.files.includes(posix.join(dirname(path), link))),
        [],
        path,
      );
    }
  });

  it('passes publint', async () => {
    const { messages, pkg } = await publint({ pkgDir: tarball.folder, strict: true, pack: false });
    assert.deepEqual(
      messages.map((message) => formatMessage(message, pkg)),
      [],
    );
  });

  it('has types that every resolution of ES modules finds', async () => {
    const data = createPackageFromTarballData(readFileSync(tarball.path));
    const analysis = await checkPackage(data);
    assert.ok(analysis.types !== false);
    const problems = 'problems' in analysis ? analysis.problems : [];
    assert.deepEqual(
      // The package has ES modules only, and needs `exports`.
      problems.filter(
        (problem) =>
          problem.kind !== 'CJSResolvesToESM' &&
          !('resolutionKind' in problem && ['node10', 'node16-cjs'].includes(problem.resolutionKind)),
      ),
      [],
    );
  });
});
