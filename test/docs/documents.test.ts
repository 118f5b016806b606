import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { allSuites, goesBy } from '../runner/suites.ts';
import { repository } from '../support/repository.ts';
import { codeIn, Document, documents } from './document.ts';
import { packageJson } from './package-json.ts';

/** The longest line, in characters, that is still read comfortably in an editor. */
const lineLength = 140;

for (const path of documents) {
  describe(path, () => {
    const document = new Document(path);

    it('links to files and headings that exist', () => {
      const broken = document.links.filter((link) => {
        if (/^https?:/.test(link)) return false;
        const [file = '', anchor] = link.split('#');
        if (file !== '' && !existsSync(join(repository, file))) return true;
        return anchor !== undefined && !new Document(file || path).anchors.includes(anchor);
      });
      assert.deepEqual(broken, []);
    });

    it('names files that exist', () => {
      const paths = codeIn(document.text).filter((code) =>
        /^(src|test|demo|dist|\.ci)\/[\w./-]*$/.test(code),
      );
      assert.deepEqual(
        paths.filter((file) => !existsSync(join(repository, file))),
        [],
      );
    });

    it('names scripts and suites that exist', () => {
      const commands = Array.from(document.text.matchAll(/\bnpm run ([\w:-]+)/g), ([, name = '']) => name);
      assert.deepEqual(
        commands.filter((name) => !(name in packageJson.scripts)),
        [],
      );
      const suites = Array.from(document.text.matchAll(/\bnpm test -- ([\w: ]+)/g), ([, list = '']) => list);
      assert.deepEqual(
        suites
          .flatMap((list) => list.trim().split(' '))
          .filter((name) => !allSuites().some((suite) => goesBy(suite, name))),
        [],
      );
    });

    it(`has no line of more than ${String(lineLength)} characters`, () => {
      assert.deepEqual(
        document.text.split('\n').filter((line) => line.length > lineLength),
        [],
      );
    });
  });
}

describe('CONTRIBUTING.md', () => {
  it('lists every group of suites, and no other', () => {
    const listed = new Document('CONTRIBUTING.md').rows('Running tests').map(([name]) => codeIn(name)[0]);
    const groups = new Set(allSuites().map(({ name }) => name.split(':')[0]));
    assert.deepEqual(listed.sort(), [...groups].sort());
  });
});

describe('CHANGELOG.md', () => {
  it('knows the version that the package has', () => {
    assert.ok(new Document('CHANGELOG.md').text.includes(packageJson.version));
  });
});
