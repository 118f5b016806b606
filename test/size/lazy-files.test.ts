import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { repository } from '../support/repository.ts';

// A new one needs a reason in docs/decisions.md.
it('loads only these files lazily, apart from the languages', () => {
  const manifest = JSON.parse(readFileSync(join(repository, 'dist/chunks/manifest.json'), 'utf8')) as Record<
    string,
    { name?: string }
  >;
  const files = Object.entries(manifest).filter(([source]) => !source.startsWith('src/widget/texts/'));
  assert.deepEqual(files.map(([, { name }]) => name).sort(), [
    'builder',
    // For pages that queue calls, or use another vendor's snippet.
    'embedding',
    'extras',
    'gate',
    'markdown',
    'messaging',
    'panel',
    'solve-challenge',
    'voice',
  ]);
});
