import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chromium } from 'playwright';
import type { Engine } from '../support/browsers.ts';
import { assistantThatShows } from '../support/demo-process.ts';
import type { DemoDescription } from '../support/demo-process.ts';
import { embedTags } from '../support/embed-tags.ts';
import type { EmbedTag } from '../support/embed-tags.ts';

export interface LoadedScripts {
  /** Paths of the scripts that a page with the chat loads by itself. */
  shell: string[];
  /** Those and what is loaded until a visitor who clicked the launcher can type. */
  usableChat: string[];
  /** Those and what is loaded until the first answer is there: a plain one, without Markdown. */
  firstAnswer: string[];
  /** What the panel loads besides, once the page has nothing better to do. */
  reserve: string[];
}

/** Opens a page of another origin that embeds the chat, as a site does, and notes which scripts Chromium asks for. */
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
    await page.goto(`http://127.0.0.1:${String((site.address() as AddressInfo).port)}/`);
    const launcher = page.locator('[part~=launcher]');
    await launcher.waitFor();
    // What the chat does in idle time counts as well.
    await page.waitForLoadState('networkidle');
    const shell = [...scripts];

    // What the panel puts off until the page is idle keeps nobody waiting: it is let go at the end, and counts by itself.
    await page.evaluate(() => {
      const waiting: IdleRequestCallback[] = [];
      const requestIdleCallback = window.requestIdleCallback.bind(window);
      window.requestIdleCallback = (task) => waiting.push(task);
      addEventListener('let-go', () => {
        for (const task of waiting) requestIdleCallback(task);
      });
    });
    await launcher.click();
    await page.locator('[part~=message-assistant]').waitFor();
    const field = page.locator('[part~=composer-input]');
    await field.waitFor();
    await page.waitForLoadState('networkidle');
    const usableChat = [...scripts];

    await field.fill('Do you deliver?');
    await field.press('Enter');
    await page.locator('.assistant[data-status=done]').nth(1).waitFor();
    await page.waitForLoadState('networkidle');
    const firstAnswer = [...scripts];

    const asked = page.waitForRequest(/chunks\/reserve-/);
    await page.evaluate(() => dispatchEvent(new Event('let-go')));
    await page.evaluate((url) => import(url), (await asked).url());
    return { shell, usableChat, firstAnswer, reserve: scripts.slice(firstAnswer.length) };
  } finally {
    await browser.close();
    site.close();
  }
}
