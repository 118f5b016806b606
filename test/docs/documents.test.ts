import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { allSuites, goesBy, runs } from '../runner/suites.ts';
import { repository } from '../support/repository.ts';
import { codeIn, Document, documents } from './document.ts';
import { packageJson } from './package-json.ts';

/** Maximum line length in characters, for reading in an editor. */
const lineLength = 140;

/** Collects strings from all documents. Fails if there are none, since the test would check nothing. */
function inDocuments(find: (document: Document) => string[]): { path: string; found: string }[] {
  const all = documents.flatMap((path) => find(new Document(path)).map((found) => ({ path, found })));
  assert.notEqual(all.length, 0);
  return all;
}

const capturesOf = (text: string, pattern: RegExp) =>
  Array.from(text.matchAll(pattern), ([, capture = '']) => capture);

describe('the documents', () => {
  it('link to files and headings that exist', () => {
    const links = inDocuments(({ links }) => links.filter((link) => !/^(https?:|\/)/.test(link)));
    const broken = links.filter(({ path, found }) => {
      const [file = '', anchor] = found.split('#');
      const target = file === '' ? path : join(dirname(path), file);
      if (!existsSync(join(repository, target))) return true;
      return anchor !== undefined && !new Document(target).anchors.includes(anchor);
    });
    assert.deepEqual(broken, []);
  });

  it('link from the pages of the site only to other pages of it, or by full URLs', () => {
    const links = inDocuments(({ links }) => links.filter((link) => !/^(https?:|[/#])/.test(link)));
    const others = links.filter(
      ({ path, found }) =>
        path.startsWith('docs/') &&
        !found.startsWith('./public/') &&
        !documents.includes(join(dirname(path), found.split('#')[0] ?? '')),
    );
    assert.deepEqual(others, []);
  });

  it('name files that exist, in prose and in code blocks', () => {
    // A glob is checked up to its first asterisk.
    const files = inDocuments(({ text }) =>
      capturesOf(text, /(?<![\w./-])((?:src|test|demo|dist|\.ci)\/(?:[\w./-]*[\w/])?)/g),
    );
    // The pages about frameworks name files of the reader's project.
    const own = files.filter(({ path }) => !path.startsWith('docs/embed/'));
    assert.deepEqual(
      own.filter(({ found }) => !existsSync(join(repository, found))),
      [],
    );
  });

  it('name scripts that exist', () => {
    const scripts = inDocuments(({ text }) => capturesOf(text, /\bnpm run ([\w:-]+)/g));
    assert.deepEqual(
      scripts.filter(({ found }) => !(found in packageJson.scripts)),
      [],
    );
  });

  it('name suites that exist', () => {
    const suites = inDocuments(({ text }) =>
      capturesOf(text, /\bnpm test -- ([\w: ]+)/g).flatMap((list) => list.trim().split(' ')),
    );
    assert.deepEqual(
      suites.filter(({ found }) => !(found in runs) && !allSuites().some((suite) => goesBy(suite, found))),
      [],
    );
  });

  it(`have no line of more than ${String(lineLength)} characters, except in tables`, () => {
    const lines = inDocuments(({ source }) => source.split('\n').filter((line) => !line.startsWith('|')));
    assert.deepEqual(
      lines.filter(({ found }) => found.length > lineLength),
      [],
    );
  });
});

describe('CONTRIBUTING.md', () => {
  it('lists every group of suites, and no other', () => {
    const listed = new Document('CONTRIBUTING.md').rows('Running tests').map(([name]) => codeIn(name)[0]);
    const groups = new Set(allSuites().map(({ name }) => name.split(':')[0]));
    assert.deepEqual(listed.sort(), [...groups].sort());
  });
});

describe('CHANGELOG.md', () => {
  it('names the version of the package, as a whole', () => {
    const versions = capturesOf(new Document('CHANGELOG.md').text, /(?<![\d.])(\d+\.\d+\.\d+)(?![\d-])/g);
    assert.ok(versions.includes(packageJson.version), versions.join());
  });
});
