import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { sidebar } from '../../docs/.vitepress/sidebar.ts';
import { repository } from '../support/repository.ts';
import { documents } from './document.ts';

const folder = join(repository, 'dist/docs');
const pages = globSync('**/*.html', { cwd: folder });
const html = new Map(pages.map((page) => [page, readFileSync(join(folder, page), 'utf8')]));

/** The built file at an address below `/docs/`. */
function fileOf(path: string): string {
  if (path === '' || path.endsWith('/')) return `${path}index.html`;
  return /\.\w+$/.test(path) ? path : `${path}.html`;
}

describe('the built documentation', () => {
  it('links to pages, files and headings that exist', () => {
    const links = pages.flatMap((page) =>
      Array.from(
        html.get(page)?.matchAll(/\s(?:href|src)="(\/docs\/|#)([^"]*)"/g) ?? [],
        ([, start, rest = '']) => {
          const [path = '', anchor = ''] = start === '#' ? ['', rest] : rest.split('#');
          return { page, file: start === '#' ? page : fileOf(path), anchor };
        },
      ),
    );
    assert.ok(links.length > 1000);
    const broken = links.filter(({ file, anchor }) => {
      if (!existsSync(join(folder, file))) return true;
      if (anchor === '') return false;
      return html.get(file)?.includes(` id="${decodeURIComponent(anchor)}"`) !== true;
    });
    assert.deepEqual(broken, []);
  });

  it('contains the generated sections in place of the notes about them, in the search index, too', () => {
    const files = globSync('**/*.{html,js}', { cwd: folder });
    const withNote = files.filter((file) =>
      readFileSync(join(folder, file), 'utf8').includes('This part is in the built documentation'),
    );
    assert.deepEqual(withNote, []);
  });

  it('is compressed', () => {
    const files = globSync('**/*.{html,js,css,svg,json}', { cwd: folder });
    assert.ok(files.length > 100);
    for (const file of files) {
      const content = readFileSync(join(folder, file));
      for (const [extension, decompress] of [
        ['br', brotliDecompressSync],
        ['gz', gunzipSync],
      ] as const) {
        const compressed = readFileSync(join(folder, `${file}.${extension}`));
        assert.ok(decompress(compressed).equals(content), `${file}.${extension}`);
      }
    }
  });

  it('lists every page once in its navigation', () => {
    const listed = sidebar.flatMap(({ items = [] }) =>
      items.map(({ link = '' }) => link.slice(1) || 'index'),
    );
    const written = documents
      .filter((path) => path.startsWith('docs/'))
      .map((path) => path.slice('docs/'.length, -'.md'.length));
    assert.deepEqual(listed.sort(), written.sort());
  });
});
