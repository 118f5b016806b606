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

      it('builds, answers, receives variables and events, and outlives a change of route, without a warning', async () => {
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

        if (example.isKeptAcrossRoutes) await keepOpenChat(page);
        else await restoreChat(page);
        assert.deepEqual(problems, []);
        await page.close();
      });
    });
  }
});

async function goTo(page: Page, link: string, heading: string | RegExp): Promise<void> {
  await page.getByRole('link', { name: link }).click();
  await page.getByRole('heading', { name: heading }).waitFor();
}

/** Leaves the route with the chat and comes back to it: the closed chat is removed, and restored with its answer. */
async function restoreChat(page: Page): Promise<void> {
  await page.locator('[part~=close-button]').click();
  await goTo(page, 'About', 'About us');
  assert.equal(await page.locator('voice-assistant-chat').count(), 0);
  await page.getByRole('link', { name: 'Home' }).click();
  await page.locator('[part~=launcher]').click();
  await page.locator('[part~=message-assistant]', { hasText: 'Austria' }).waitFor();
  assert.equal(await page.locator('voice-assistant-chat').count(), 1);
}

/** Changes the route with an open chat and a draft: the element stays, with all that it shows. */
async function keepOpenChat(page: Page): Promise<void> {
  const draft = 'And how long does';
  // So low that the messages have to be scrolled, and not so low that the chat covers the page.
  await page.setViewportSize({ width: 1280, height: 490 });
  await page.locator('[part~=composer-input]').fill(draft);
  const shown = () =>
    page.evaluate(() => {
      const chats = [...document.querySelectorAll('voice-assistant-chat')];
      const root = chats[0]?.shadowRoot;
      return {
        count: chats.length,
        isFirst: chats[0] !== undefined && 'isFirst' in chats[0],
        isOpen: chats[0]?.open,
        messages: Array.from(root?.querySelectorAll('[part~=message]') ?? [], (each) => each.textContent),
        scrollTop: root?.querySelector('[part~=message-log]')?.scrollTop,
        draft: root?.querySelector<HTMLTextAreaElement>('[part~=composer-input]')?.value,
      };
    });
  await page.evaluate(() => {
    Object.assign(document.querySelector('voice-assistant-chat') ?? {}, { isFirst: true });
    // Only a page that is swapped without a reload keeps it.
    Object.assign(window, { isFirst: true });
  });
  const before = await shown();
  assert.deepEqual([before.isFirst, before.isOpen, before.draft], [true, true, draft]);
  assert.match(before.messages.join('\n'), /Austria/);
  assert.ok(before.scrollTop !== undefined && before.scrollTop > 0, `scrolled by ${before.scrollTop}`);
  const opened: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/conversations')) opened.push(page.url());
  });
  for (const [link, heading] of [
    ['About', 'About us'],
    ['Home', /^Lamps/],
  ] as const) {
    await goTo(page, link, heading);
    await page.waitForLoadState('networkidle');
    assert.deepEqual(await shown(), before, link);
    assert.ok(await page.evaluate(() => 'isFirst' in window), link);
  }
  await page.locator('[part~=composer-input]').press('Enter');
  await page.locator('[part~=message-user]', { hasText: draft }).waitFor();
  await page.locator('[part~=message-assistant]').nth(2).waitFor();
  assert.deepEqual(opened, []);
}

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
