import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findEngines } from '../support/browsers.ts';
import { startDemo } from '../support/demo-process.ts';
import type { DemoProcess } from '../support/demo-process.ts';
import { embedTags } from '../support/embed-tags.ts';
import type { EmbedTag } from '../support/embed-tags.ts';
import { repository } from '../support/repository.ts';
import { budgets } from './budgets.ts';
import { compressedSize } from './compressed-size.ts';
import { loadedScripts } from './loaded-scripts.ts';
import type { LoadedScripts } from './loaded-scripts.ts';
import { staticImports } from './static-imports.ts';

const dist = join(repository, 'dist');
const chromium = findEngines(['chromium']).find((engine) => engine.name === 'chromium');

describe('what a page with the chat loads', { skip: chromium ? false : 'needs Chromium' }, () => {
  let demo: DemoProcess;
  before(async () => {
    demo = await startDemo();
  });
  after(() => demo.stop());

  for (const tag of Object.keys(embedTags) as EmbedTag[]) {
    describe(`by ${tag}`, () => {
      let loaded: LoadedScripts;
      before(async () => {
        assert.ok(chromium);
        loaded = await loadedScripts(tag, chromium, demo);
      });

      it('is the entry scripts and their static imports alone before anyone touches the launcher', () => {
        const entries = ['embed.js', 'voice-assistant-chat.js'].map(inDist);
        const allowed = new Set(entries.flatMap((entry) => [...staticImports(entry)]));
        assert.deepEqual(
          loaded.shell.filter((path) => !allowed.has(inDist(path))),
          [],
        );
        assert.notEqual(loaded.shell.length, 0);
      });

      it('is the panel besides, until a visitor can type', () => {
        const entries = [...loaded.shell.map(inDist), chunk('chat-panel')];
        const allowed = new Set(entries.flatMap((entry) => [...staticImports(entry)]));
        assert.deepEqual(
          loaded.usableChat.filter((path) => !allowed.has(inDist(path))),
          [],
        );
        assert.ok(loaded.usableChat.length > loaded.shell.length);
      });

      it(`is at most ${String(budgets.shell)} bytes of script before anyone touches the launcher`, () => {
        assertWithin(budgets.shell, loaded.shell);
      });

      it(`is at most ${String(budgets.usableChat)} bytes of script until a visitor can type`, () => {
        assertWithin(budgets.usableChat, loaded.usableChat);
      });

      it(`is at most ${String(budgets.firstAnswer)} bytes of script until a first plain answer`, () => {
        assertWithin(budgets.firstAnswer, loaded.firstAnswer);
      });

      it(`is at most ${String(budgets.reserve)} bytes of script besides, when the page has time`, () => {
        assertWithin(budgets.reserve, loaded.reserve);
      });
    });
  }
});

describe('what draws Markdown', () => {
  it(`is at most ${String(budgets.markdown)} bytes of script`, () => {
    assertWithin(budgets.markdown, [relative(dist, chunk('markdown'))]);
  });
});

/** The file of a chunk; its name ends in a hash of seven characters. */
function chunk(name: string): string {
  const folder = join(dist, 'chunks');
  const files = readdirSync(folder).filter(
    (file) => file.startsWith(`${name}-`) && file.length === `${name}-1234567.js`.length,
  );
  const [file] = files;
  assert.ok(file !== undefined && files.length === 1, `not one file: ${files.join()}`);
  return join(folder, file);
}

const inDist = (path: string) => join(dist, path);

/** Prints what each script weighs, and fails when all weigh too much. */
function assertWithin(budget: number, scripts: readonly string[]): void {
  const sizes = scripts.map((path) => ({ name: basename(path), size: compressedSize(inDist(path)) }));
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  const row = (name: string, size: number) => `  ${String(size).padStart(7)}  ${name}`;
  const table = [...sizes.map(({ name, size }) => row(name, size)), row(`of ${String(budget)}`, total)].join(
    '\n',
  );
  console.log(`${table}\n`);
  assert.ok(total <= budget, `${String(total)} bytes are ${String(total - budget)} too many:\n${table}`);
}
