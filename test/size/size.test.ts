import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { budgets } from '../../src/package/budgets.ts';
import { findEngines } from '../support/browser/browsers.ts';
import { startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { embedTags } from '../support/chat/embed-tags.ts';
import type { EmbedTag } from '../support/chat/embed-tags.ts';
import { repository } from '../support/repository.ts';
import { compressedSize } from './compressed-size.ts';
import { loadedScripts } from './loaded-scripts.ts';
import type { LoadedScripts } from './loaded-scripts.ts';

const dist = join(repository, 'dist');
const chromium = findEngines(['chromium']).find((engine) => engine.name === 'chromium');

describe('the script of a page with the chat', { skip: chromium ? false : 'needs Chromium' }, () => {
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

      for (const stage of ['shell', 'typing', 'markdownAnswer'] as const) {
        const { bytes, requests } = budgets[stage];
        const until = {
          shell: 'until the launcher shows',
          typing: 'until a visitor can type',
          markdownAnswer: 'until the first answer is rendered as Markdown',
        }[stage];

        it(`has at most ${String(bytes)} bytes ${until}`, () => {
          assertWithin(bytes, loaded[stage]);
        });

        it(`takes at most ${String(requests)} requests ${until}`, () => {
          assert.ok(loaded[stage].length <= requests, loaded[stage].join(', '));
        });
      }
    });
  }
});

/** Returns the built file of a path. The short snippet is `embed.js` with a line of settings before it. */
const inDist = (path: string) => join(dist, path.replace(/^\/embed\/[^/]+$/, '/embed.js'));

/** Prints the size of each script; fails if their sum exceeds the budget. */
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
