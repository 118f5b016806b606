import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from '../support/repository.ts';
import { budgets } from './budgets.ts';
import { compressedSize } from './compressed-size.ts';

describe('the script for calls', () => {
  const chunks = join(repository, 'dist/chunks');
  const files = readdirSync(chunks).filter((name) => /^call-[\da-f]{8}\.js$/.test(name));

  it(`is one file of at most ${String(budgets.call)} bytes`, () => {
    const [file] = files;
    assert.ok(file !== undefined && files.length === 1, `not one file: ${files.join()}`);
    const size = compressedSize(join(chunks, file));
    assert.ok(size <= budgets.call, `${file} has ${String(size)} bytes`);
  });
});
