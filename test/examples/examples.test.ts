import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { chromium, type Browser, type Page } from 'playwright';
import { packPackage, type Tarball } from '../package/pack-package.ts';
import { findEngines } from '../support/browser/browsers.ts';
import { assistantThatShows, startDemo, type DemoProcess } from '../support/service/demo-process.ts';
import { copyExample, type SiteProject } from './site-project.ts';
import { examples } from './examples.ts';

/*
 * Each example installs the packed package in a temporary folder, is type-checked and built by its own tools, and is
 * used in Chromium with the real service. `TEST_EXAMPLES=vue,nuxt` limits the examples.
 */

const executable = findEngines(['chromium']).find((engine) => engine.name === 'chromium');
const wanted = process.env['TEST_EXAMPLES']?.split(',') ?? examples.map(({ name }) => name);

const question = 'Do you deliver to Austria?';

describe('the example', { skip: executable ? false : 'needs Chromium' }, () => {
  let demo: DemoProcess;
  let browser: Browser;
  let tarball: Tarball;
  before(async () => {
    assert.ok(executable);
    tarball = await packPackage();
    demo = await startDemo();
    browser = await chromium.launch({ executablePath: executable.executablePath, args: executable.args });
  });
  after(async () => {
    await browser.close();
    await demo.stop();
    await tarball.remove();
  });

  for (const example of examples.filter(({ name }) => wanted.includes(name))) {
    describe(example.name, () => {
      let project: SiteProject;
      let site: { url: string; stop(): Promise<void> } | undefined;
      before(async () => {
        const assistant = assistantThatShows('greeting', demo);
        project = await copyExample(example, tarball.path, { url: demo.url, assistant });
        await project.npm('install', '--no-audit', '--no-fund', '--prefer-offline');
      });
      after(async () => {
        await site?.stop();
        await project.remove();
      });

      it('passes a strict type check', async () => {
        await project.npm('run', 'check');
      });

      it('builds, answers, receives variables and events, and is restored after another route, without a warning', async () => {
        if (example.isBuilt !== false) await project.npm('run', 'build');
        site = await project.start();
        if (example.isRenderedOnServer) {
          const html = await (await fetch(site.url)).text();
          assert.match(html, /<voice-assistant-chat [^>]*assistant-id/);
        }
        const page = await browser.newPage();
        const problems = watchConsole(page);
        const scripts = new Set<string>();
        page.on('request', (request) => {
          if (new URL(request.url()).pathname.endsWith('js')) scripts.add(request.url());
        });
        await page.goto(site.url);
        const launcher = page.locator('[part~=launcher]');
        await launcher.waitFor();
        await page.waitForLoadState('networkidle');
        // The name of a part of the panel, which no other code contains.
        const isPanel = (script: string) => script.includes('composer-input');
        // The script tag prefetches the panel on a fast connection, by its own rules.
        if (example.isBuilt !== false) {
          assert.notEqual(scripts.size, 0);
          // The browser does not give the content of prefetched files.
          for (const url of scripts)
            assert.ok(!isPanel(await (await fetch(url)).text()), `${url} was loaded`);
        }
        const answer = page.locator('[part~=message-assistant]', { hasText: 'Austria' });
        const opened = page.waitForRequest(
          (request) => request.method() === 'POST' && request.url().endsWith('/api/conversations'),
        );
        await launcher.click();
        await page.locator('[part~=composer-input]').fill(question);
        await page.locator('[part~=composer-input]').press('Enter');
        await answer.waitFor();
        if (example.scriptBudget !== undefined) {
          const bytes = await brotliSize(scripts);
          assert.ok(bytes <= example.scriptBudget, `${bytes} bytes of scripts`);
        }
        if (example.chatBudget !== undefined) {
          const others = await scriptsIn(new URL('/about', site.url));
          assert.notEqual(others.size, 0);
          const bytes = await brotliSize([...scripts].filter((script) => !others.has(script)));
          console.log(`${example.name}: ${bytes} bytes of scripts for the chat`);
          assert.ok(bytes <= example.chatBudget, `${bytes} bytes of scripts for the chat`);
        }
        assert.deepEqual(((await opened).postDataJSON() as { variables: unknown }).variables, {
          first_name: 'Ada',
          cart: { items: 2 },
        });
        await page.locator('output', { hasText: /Last answer: \d+ characters/ }).waitFor();

        await page.locator('[part~=close-button]').click();
        await page.getByRole('link', { name: 'About' }).click();
        await page.getByRole('heading', { name: 'About us' }).waitFor();
        assert.equal(await page.locator('voice-assistant-chat').count(), 0);
        await page.getByRole('link', { name: 'Home' }).click();
        await launcher.click();
        await answer.waitFor();
        assert.equal(await page.locator('voice-assistant-chat').count(), 1);
        assert.deepEqual(problems, []);
        await page.close();
      });
    });
  }
});

/** The sum of the sizes of scripts after Brotli compression. */
async function brotliSize(urls: Iterable<string>): Promise<number> {
  const sizes = Array.from(urls, async (url) => brotliCompressSync(await (await fetch(url)).bytes()).length);
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** The addresses of the scripts in a page's HTML. */
async function scriptsIn(page: URL): Promise<Set<string>> {
  const html = await (await fetch(page)).text();
  return new Set(
    Array.from(html.matchAll(/<script[^>]* src="([^"]+)"/g), ([, src = '']) => new URL(src, page).href),
  );
}

/** Collects warnings and errors: frameworks report differences between server and browser there. */
function watchConsole(page: Page): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(message.text());
  });
  page.on('pageerror', ({ message }) => problems.push(message));
  return problems;
}
