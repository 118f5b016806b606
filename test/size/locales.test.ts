import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { budgets } from '../../src/package/budgets.ts';
import { languages } from '../../src/widget/texts/locales.ts';
import { repository } from '../support/repository.ts';
import { compressedSize } from './compressed-size.ts';

for (const folder of ['dist/chunks', 'dist/npm/chunks']) {
  describe(`each language in ${folder}`, () => {
    const chunks = join(repository, folder);
    for (const language of languages) {
      it(`${language} is one file of at most ${String(budgets.locale.bytes)} bytes`, () => {
        // The hash in the name has eight characters, which can include hyphens.
        const files = readdirSync(chunks).filter(
          (name) => name.startsWith(`${language}-`) && name.length === `${language}-12345678.js`.length,
        );
        const [file] = files;
        assert.ok(file !== undefined && files.length === 1, `not one file: ${files.join()}`);
        const size = compressedSize(join(chunks, file));
        assert.ok(size <= budgets.locale.bytes, `${file} has ${String(size)} bytes`);
      });
    }
  });
}
