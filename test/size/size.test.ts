import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { findEngines } from '../support/browsers.ts';
import { startDemo } from '../support/demo-process.ts';
import { repository } from '../support/repository.ts';
import { budgets } from './budgets.ts';
import { compressedSize } from './compressed-size.ts';
import { loadedScripts } from './loaded-scripts.ts';
import type { LoadedScripts } from './loaded-scripts.ts';
import { staticImports } from './static-imports.ts';

const dist = join(repository, 'dist');
const chromium = findEngines(['chromium']).find((engine) => engine.name === 'chromium');

describe('what a page with the chat loads', { skip: chromium ? false : 'needs Chromium' }, () => {
  let loaded: LoadedScripts;

  before(async () => {
    assert.ok(chromium);
    const demo = await startDemo();
    try {
      loaded = await loadedScripts(chromium, demo);
    } finally {
      await demo.stop();
    }
  });

  it('is, before anyone touches the launcher, the entry scripts and their static imports alone', () => {
    const entries = ['embed.js', 'voice-assistant-chat.js'].map((name) => join(dist, name));
    const expected = new Set(entries.flatMap((entry) => [...staticImports(entry)]));
    assert.deepEqual(loaded.shell.map(inDist).sort(), [...expected].sort());
  });

  it(`is, before anyone touches the launcher, at most ${String(budgets.shell)} bytes of script`, () => {
    assertWithin(budgets.shell, loaded.shell);
  });

  it(`is, until a visitor can type, at most ${String(budgets.usableChat)} bytes of script`, () => {
    assertWithin(budgets.usableChat, loaded.usableChat);
  });
});

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
