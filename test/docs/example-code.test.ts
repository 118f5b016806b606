import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from '../support/repository.ts';
import { examplePages } from './example-pages.ts';

/** Without indentation, since pages show parts of files. */
const normalize = (code: string) => code.replaceAll(/^\s+|\s+$/gm, '');

const examples = globSync('demo/examples/**/*.{ts,tsx,vue,svelte,astro}', {
  cwd: repository,
  exclude: ['**/node_modules/**'],
}).map((path) => normalize(readFileSync(join(repository, path), 'utf8')));

describe('the pages about frameworks', () => {
  for (const page of examplePages) {
    it(`show code of an example: ${page}`, () => {
      const text = readFileSync(join(repository, 'docs/embed', `${page}.md`), 'utf8');
      const blocks = Array.from(
        text.matchAll(/^```(tsx?|vue|svelte|astro)\n(.*?)^```/gms),
        ([, , code = '']) => code,
      );
      assert.notEqual(blocks.length, 0);
      const foreign = blocks.filter((block) => !examples.some((file) => file.includes(normalize(block))));
      assert.deepEqual(foreign, []);
    });

    it(`import only files that the page names: ${page}`, () => {
      const text = readFileSync(join(repository, 'docs/embed', `${page}.md`), 'utf8');
      const imported = Array.from(
        text.matchAll(/^ *import (?:.* from )?'\.\.?\/(.*)';$/gm),
        ([, path = '']) => path,
      );
      const named = Array.from(text.matchAll(/`(src|app)\/([^`]+)`/g), ([, , path = '']) => path);
      const missing = imported.filter(
        (path) => !named.some((file) => file.endsWith(path) || file.replace(/\.\w+$/, '').endsWith(path)),
      );
      assert.deepEqual(missing, []);
    });
  }
});
