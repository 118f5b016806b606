import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { chromium, type Browser, type Page } from 'playwright';
import { build } from 'vite';
import { siteWithPackage } from '../package/installed-package.ts';
import { budgets } from '../../src/package/budgets.ts';
import { findEngines } from '../support/browser/browsers.ts';
import { assistantThatShows, startDemo, type DemoProcess } from '../support/service/demo-process.ts';
import { compressedSize } from './compressed-size.ts';

const executable = findEngines(['chromium']).find((engine) => engine.name === 'chromium');

describe("a site's bundle by Vite", { skip: executable ? false : 'needs Chromium' }, () => {
  const site = siteWithPackage();
  const out = join(site.folder, 'out');
  const server = createServer(({ url = '/' }, response) => {
    const file = join(out, url);
    const isScript = url.endsWith('.js') && existsSync(file);
    response.setHeader('Content-Type', `text/${isScript ? 'javascript' : 'html'}; charset=utf-8`);
    response.end(
      isScript
        ? readFileSync(file)
        : `<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
          <script type="module" src="/main.js"></script></html>`,
    );
  });
  let demo: DemoProcess;
  let browser: Browser;
  before(async () => {
    assert.ok(executable);
    site.write(
      'main.js',
      `import 'voice-assistant-chat';
       const chat = document.createElement('voice-assistant-chat');
       for (const [name, value] of new URLSearchParams(location.search)) chat.setAttribute(name, value);
       document.body.append(chat);`,
    );
    await build({
      root: site.folder,
      configFile: false,
      logLevel: 'silent',
      build: {
        outDir: 'out',
        rolldownOptions: {
          input: join(site.folder, 'main.js'),
          output: { entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' },
        },
      },
    });
    demo = await startDemo();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    browser = await chromium.launch({ executablePath: executable.executablePath, args: executable.args });
  });
  after(async () => {
    await browser.close();
    server.close();
    await demo.stop();
    site.remove();
  });

  /** Opens the site and asks for an answer; returns the scripts that the page has loaded until it shows. */
  async function scriptsUntil(answer: string, shown: string, isBlocked: (path: string) => boolean) {
    const page = await browser.newPage();
    const scripts = new Set<string>();
    await page.route('**/*.js', (route) => {
      const path = new URL(route.request().url()).pathname;
      if (isBlocked(path)) return route.abort();
      scripts.add(path);
      return route.continue();
    });
    await answerWith(page, answer);
    const query = { 'base-url': demo.url, 'assistant-id': assistantThatShows('greeting', demo) };
    const { port } = server.address() as AddressInfo;
    await page.goto(`http://127.0.0.1:${String(port)}/?${String(new URLSearchParams(query))}`);
    await page.locator('[part~=launcher]').click();
    const field = page.locator('[part~=composer-input]');
    await field.fill('Do you deliver?');
    await field.press('Enter');
    await page.locator('.assistant[data-status=done]').locator(shown).last().waitFor();
    await page.close();
    return [...scripts];
  }

  function assertWithin({ bytes, requests }: { bytes: number; requests: number }, scripts: string[]): void {
    const sizes = scripts.map((path) => ({ path, size: compressedSize(join(out, path)) }));
    const total = sizes.reduce((sum, { size }) => sum + size, 0);
    const listing = `${String(total)} bytes: ${sizes.map(({ path, size }) => `${path} ${String(size)}`).join(', ')}`;
    console.log(listing);
    assert.ok(total <= bytes && scripts.length <= requests, listing);
  }

  it(`needs at most ${String(budgets.bundledPlainAnswer.bytes)} bytes for a plain answer`, async () => {
    // Loaded in advance, sometimes before the answer shows, but not needed for it.
    const isBlocked = (path: string) => /markdown|extras/.test(path);
    assertWithin(
      budgets.bundledPlainAnswer,
      await scriptsUntil('Yes, we do.', ':text("Yes, we do.")', isBlocked),
    );
  });

  it(`needs at most ${String(budgets.bundledMarkdownAnswer.bytes)} bytes for an answer in Markdown`, async () => {
    const isBlocked = (path: string) => path.includes('extras');
    assertWithin(budgets.bundledMarkdownAnswer, await scriptsUntil('**Yes**, we do.', 'strong', isBlocked));
  });
});

/** Replaces the engine's answer. */
const answerWith = (page: Page, message: string) =>
  page.route('**/messages', (route) =>
    route.fulfill({
      headers: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' },
      json: { status: true, message, function_calls: [] },
    }),
  );
