import assert from 'node:assert/strict';
import { basename, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium } from 'playwright';
import type { Browser } from 'playwright';
import { budgets } from '../../src/package/budgets.ts';
import { findEngines } from '../support/browser/browsers.ts';
import { startLoopbackServer } from '../support/servers/loopback-server.ts';
import { embedTags } from '../support/chat/embed-tags.ts';
import { assistantThatShows, startDemo } from '../support/service/demo-process.ts';
import type { DemoProcess } from '../support/service/demo-process.ts';
import { until } from '../support/until.ts';
import { repository } from '../support/repository.ts';
import { compressedSize } from './compressed-size.ts';

const engine = findEngines(['chromium']).find(({ name }) => name === 'chromium');

describe('the scripts of a call', { skip: engine ? false : 'needs Chromium' }, () => {
  let demo: DemoProcess;
  let browser: Browser;
  before(async () => {
    assert.ok(engine?.name === 'chromium');
    demo = await startDemo();
    browser = await chromium.launch({ executablePath: engine.executablePath, args: engine.args });
  });
  after(async () => {
    await browser.close();
    await demo.stop();
  });

  /** Opens a chat, and calls if it offers that. Returns the scripts that are loaded before and after the click. */
  async function scriptsOf({ offersCalls }: { offersCalls: boolean }) {
    const chat = embedTags['the classic script'](demo.url, assistantThatShows('greeting', demo));
    const site = await startLoopbackServer((_, response) => {
      response.setHeader('Content-Type', 'text/html');
      response.end(
        `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">${chat}`,
      );
    });
    const page = await browser.newPage();
    const scripts = new Set<string>();
    page.on('request', (request) => {
      if (new URL(request.url()).pathname.endsWith('.js')) scripts.add(basename(request.url()));
    });
    await page.route('**/widget', async (route) => {
      const response = await route.fetch();
      const { data } = (await response.json()) as { data: object };
      await route.fulfill({ response, json: { status: true, data: { ...data, web_calls: offersCalls } } });
    });
    // Not answered: the demo's service has no voice, so the chat would offer dictation instead.
    await page.route('**/voice', () => undefined);
    try {
      await page.goto(site.url);
      await page.locator('[part~=launcher]').click();
      // Everything that a chat without calls loads, too.
      await page.locator('[part~=composer-input]').fill('Hello');
      await page.keyboard.press('Enter');
      await until(() =>
        ['messaging', 'markdown', 'extras'].every((name) =>
          [...scripts].some((script) => script.startsWith(`${name}-`)),
        ),
      );
      const before = [...scripts];
      if (offersCalls) {
        await page.locator('[part~=call-button]').click();
        // A test machine has no microphone.
        await page.locator('[part=call]').waitFor();
      }
      return { before, after: [...scripts].filter((script) => !before.includes(script)) };
    } finally {
      await page.close();
      await site.close();
    }
  }

  it(`have at most ${String(budgets.call.bytes)} bytes, and none is loaded before the click`, async () => {
    const { before, after } = await scriptsOf({ offersCalls: true });
    assert.deepEqual(before.sort(), (await scriptsOf({ offersCalls: false })).before.sort());
    const sizes = after.map((name) => [name, compressedSize(join(repository, 'dist/chunks', name))] as const);
    const total = sizes.reduce((sum, [, size]) => sum + size, 0);
    const list = `${String(total)} bytes: ${sizes.map(([name, size]) => `${name} ${String(size)}`).join(', ')}`;
    console.log(list);
    assert.ok(after.length > 0 && total <= budgets.call.bytes, list);
  });
});
