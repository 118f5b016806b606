import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright';
import type { Page } from 'playwright';
import type { Engine } from '../support/browser/browsers.ts';
import { assistantThatShows } from '../support/service/demo-process.ts';
import type { DemoDescription } from '../support/service/demo-process.ts';
import { embedTags } from '../support/chat/embed-tags.ts';
import type { EmbedTag } from '../support/chat/embed-tags.ts';

export interface LoadedScripts {
  /** Paths of the scripts that a page with the chat loads before any interaction. */
  shell: string[];
  /** The shell and the scripts loaded from the click on the launcher until a visitor can type. */
  typing: string[];
  /** All scripts loaded until the first answer is rendered as Markdown. */
  markdownAnswer: string[];
}

/** Opens a page of another origin that embeds the chat, as a site does, and records the scripts that Chromium requests. */
export async function loadedScripts(
  tag: EmbedTag,
  { executablePath, args }: Extract<Engine, { name: 'chromium' }>,
  demo: DemoDescription,
): Promise<LoadedScripts> {
  const chat = embedTags[tag](demo.url, assistantThatShows('greeting', demo));
  const site = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html; charset=utf-8');
    response.end(`<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,">
      <h1>A site</h1>${chat}</html>`);
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  const browser = await chromium.launch({ executablePath, args });
  try {
    const page = await browser.newPage();
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
    });
    // Replaces the engine's answer by one in Markdown.
    await page.route('**/messages', (route) =>
      route.fulfill({
        headers: { 'Access-Control-Allow-Origin': '*', 'Access-Control-Allow-Headers': '*' },
        json: { status: true, message: '**Yes**, we deliver.', function_calls: [] },
      }),
    );
    await page.goto(`http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`);
    const launcher = page.locator('[part~=launcher]');
    await launcher.waitFor();
    await page.evaluate(() => {
      const chat = document.querySelector('voice-assistant-chat');
      const look = (): void => {
        if (chat?.shadowRoot?.querySelector('textarea')?.checkVisibility()) performance.mark('can-type');
        else requestAnimationFrame(look);
      };
      look();
    });
    await page.waitForLoadState('networkidle');
    const shell = [...scripts];

    await launcher.click();
    await page.locator('[part~=composer-input]').waitFor();
    // Once the visitor can type, the page is idle, and the chat loads the modules for the first message.
    await page.waitForLoadState('networkidle');
    const typing = [...shell, ...(await scriptsBeforeTyping(page))];

    const field = page.locator('[part~=composer-input]');
    await field.fill('Do you deliver?');
    await field.press('Enter');
    await page.locator('.assistant[data-status=done] .markdown').waitFor();
    await page.waitForLoadState('networkidle');
    return { shell, typing, markdownAnswer: [...scripts] };
  } finally {
    await browser.close();
    site.close();
  }
}

/** Paths of the scripts requested before the composer was visible. */
function scriptsBeforeTyping(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const [canType] = performance.getEntriesByName('can-type');
    const paths = performance
      .getEntriesByType('resource')
      .filter(
        ({ name, startTime }) => /\/chunks\/.*\.js$/.test(name) && startTime < (canType?.startTime ?? 0),
      )
      .map(({ name }) => new URL(name).pathname);
    // A prefetched file is listed twice: when it was prefetched and when it runs.
    return [...new Set(paths)];
  });
}
