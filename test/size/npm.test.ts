import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, it } from 'node:test';
import { budgets } from '../../src/package/budgets.ts';
import { repository } from '../support/repository.ts';
import { compressedSize } from './compressed-size.ts';

const folder = join(repository, 'dist/npm');

/** A file of `dist/npm` and all files that it imports statically; imports of other packages have no `./`. */
function filesOf(file: string, found = new Set<string>()): Set<string> {
  if (found.has(file)) return found;
  found.add(file);
  for (const [, path = ''] of readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*["'](\.[^"']+)["']/g))
    filesOf(join(dirname(file), path), found);
  return found;
}

const packagesOf = (file: string): string[] =>
  [...filesOf(join(folder, file))].flatMap((path) =>
    Array.from(
      readFileSync(path, 'utf8').matchAll(/(?:from|import)\s*\(?["'`]([^."'`][^"'`]*)["'`]/g),
      ([, name = '']) => name,
    ),
  );

describe('the build for npm', () => {
  it(`has a client of at most ${budgets.client.bytes} bytes`, () => {
    const files = [...filesOf(join(folder, 'client.js'))];
    const size = files.reduce((sum, file) => sum + compressedSize(file), 0);
    assert.ok(
      size <= budgets.client.bytes,
      `${files.map((file) => relative(folder, file)).join()}: ${size} bytes`,
    );
  });

  // Turbopack would copy it into their files, and in Firefox they could not load after one failed request for it.
  it('has no module that imports the one for messaging statically', () => {
    const messaging = globSync('chunks/voice-assistant-chat-messaging-*.js', { cwd: folder }).map((file) =>
      join(folder, file),
    );
    assert.equal(messaging.length, 1);
    const importing = globSync('**/*.js', { cwd: folder }).filter((file) => {
      const files = filesOf(join(folder, file));
      files.delete(join(folder, file));
      return messaging.some((path) => files.has(path));
    });
    assert.deepEqual(importing, []);
  });

  it('has modules that the widget imports as they are, so that a retry by address returns the same', () => {
    for (const file of globSync('chunks/voice-assistant-chat-panel-*.js', { cwd: folder }))
      assert.doesNotMatch(readFileSync(join(folder, file), 'utf8'), /import\(`\.[^)]*\)\.then/);
  });

  for (const file of ['client.js', 'api.js', 'element.js', 'voice-assistant-chat.js']) {
    it(`imports no package in ${file}, not even lit before the panel loads`, () => {
      assert.deepEqual(packagesOf(file), []);
    });
  }

  it('loads nothing of the panel with the clients', () => {
    for (const file of ['client.js', 'api.js']) {
      for (const path of filesOf(join(folder, file)))
        assert.ok(!readFileSync(path, 'utf8').includes('attachShadow'), relative(folder, path));
    }
  });
});
